# The licence.
defmodule App.Shapes.Circle do
  @moduledoc """
  A circle.
  """
  use Base
  alias App.Shape

  @most 3
  defstruct radius: 1, label: nil

  @type t :: %__MODULE__{radius: number}

  @doc "Its area."
  @spec area(t) :: number
  def area(%__MODULE__{radius: r}) when r > 0 do
    inner = 1
    inner * r
  end

  def area(_), do: 0

  # Grows it.
  defp grow(circle, by \\ 1) do
    circle
  end

  defmacro twice(x) do
    quote do: unquote(x) * 2
  end

  defguard is_round(x) when x == 1

  defdelegate size(x), to: Other

  def zero, do: 0

  defmodule Part do
    def new, do: %{}
  end
end

defprotocol Shape do
  def sides(shape)
end

defimpl Shape, for: App.Shapes.Circle do
  def sides(_), do: 0
end
