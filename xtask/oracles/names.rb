# Prints what the files of a repository define and use, read by RubyVM's syntax tree:
#     ruby names.rb < files
# One JSON object a line: file, defines (full names), uses (name and the modules around it, innermost first), requires.
require "json"

class Reader
  attr_reader :out

  def initialize(file)
    @out = { file: file, defines: [], uses: [], requires: [] }
  end

  def path(node)
    return nil unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
    case node.type
    when :CONST then node.children[0].to_s
    when :COLON3 then "::#{node.children[0]}"
    when :COLON2
      return node.children[1].to_s if node.children[0].nil?
      left = path(node.children[0])
      left && "#{left}::#{node.children[1]}"
    end
  end

  def full(name, nesting)
    return name.delete_prefix("::") if name.start_with?("::")
    nesting.empty? ? name : "#{nesting[0]}::#{name}"
  end

  def use(name, nesting)
    name.start_with?("::") ? @out[:uses] << [name.delete_prefix("::"), []] : @out[:uses] << [name, nesting]
  end

  def walk(node, nesting)
    return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)
    case node.type
    when :CLASS, :MODULE
      name = path(node.children[0])
      if name
        walk(node.children[1], nesting) if node.type == :CLASS
        inner = full(name, nesting)
        @out[:defines] << inner
        walk(node.children.last, [inner] + nesting)
        return
      end
    when :CDECL
      @out[:defines] << full(node.children[0].to_s, nesting) if node.children[0].is_a?(Symbol)
      node.children.drop(1).each { |child| walk(child, nesting) }
      return
    when :CONST, :COLON2, :COLON3
      name = path(node)
      if name
        use(name, nesting)
        return
      end
    when :FCALL
      require_of(node, nesting)
    end
    node.children.each { |child| walk(child, nesting) }
  end

  def require_of(node, nesting)
    name, arguments = node.children
    return unless %i[require require_relative load autoload].include?(name) && arguments
    texts = arguments.children.compact.map { |it| [it.type, it.children[0]] rescue nil }.compact
    if name == :autoload
      if texts.size == 2 && texts[1][0] == :STR
        @out[:requires] << ["require", texts[1][1]]
      elsif texts.size == 1 && texts[0][0] == :LIT
        @out[:requires] << ["autoload", full(texts[0][1].to_s, nesting)]
      end
    elsif texts[0] && texts[0][0] == :STR
      @out[:requires] << [name == :require_relative ? "relative" : "require", texts[0][1]]
    end
  end
end

STDIN.each_line(chomp: true) do |file|
  reader = Reader.new(file)
  begin
    reader.walk(RubyVM::AbstractSyntaxTree.parse(File.read(file)), [])
  rescue SyntaxError, ArgumentError, EncodingError
    next
  end
  puts JSON.generate(reader.out)
end
