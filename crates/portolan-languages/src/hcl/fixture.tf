# The licence.
terraform {
  required_version = ">= 1.0"
}

# Where it runs.
variable "region" {
  type    = string
  default = "eu"
}

locals {
  name = "x"
}

resource "aws_instance" "web" {
  ami = "a"

  lifecycle {
    prevent_destroy = true
  }
}

data "aws_ami" "base" {
  most_recent = true
}

module "network" {
  source = "./network"
}

output "address" {
  value = aws_instance.web.id
}

plain = 1
