# frozen_string_literal: true

require "json"
require_relative "shapes/base"

LIMIT = 10

# All about shapes.
module Shapes
  VERSION = "1.0"

  # A circle.
  class Circle < Base
    include Comparable
    attr_reader :radius, :label
    attr_accessor :colour
    MAX = 3

    # Makes one.
    def initialize(radius)
      @radius = radius
      inner = 1
    end

    def area = 3 * radius**2

    def self.unit
      new(1)
    end

    class << self
      def big
        new(100)
      end
    end

    private

    def hidden?; end

    def ==(other)
      true
    end

    def label=(text)
      @label = text
    end

    Part = Struct.new(:a, :b)

    class Error < StandardError; end
    alias_method :size, :radius
    scope :round, -> { where(round: true) }
  end

  def self.helper(a, b = 2, *rest, key:, **more, &block)
    block.call
  end

  module_function

  def pi
    3
  end
end

class Shapes::Square
  define_method(:sides) { 4 }
end

def top_level
  def inner; end
end

private def wrapped(a)
end

RSpec.describe Shapes::Circle do
  it "has an area" do
    expect(1).to eq(1)
  end
end
