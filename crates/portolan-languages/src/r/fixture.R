# Reads measurements and fits a model.
library(stats)

limit <- 10
.hidden = "no"

#' Fits a line.
#'
#' @param data A data frame.
fit <- function(data, formula = y ~ x) {
  local <- lm(formula, data)
  inner <- function(z) z + 1
  inner(local)
}

"quoted name" <- function(x) x
plus = function(a, b) {
  a + b
}
counter <<- 0

# An S4 class with its methods.
setClass("Person", representation(name = "character"))
setGeneric("greet", function(who, ...) standardGeneric("greet"))
setMethod("greet", "Person", function(who, ...) {
  cat("Hello", who@name)
})

Stack <- R6Class("Stack",
  public = list(
    items = list(),
    push = function(x) {
      self$items <- c(self$items, x)
    }
  )
)

print.person <- function(x, ...) cat(x$name)
\(x) x
