// java JavaUses.java ROOT OUT.json NAME [SEED [COUNT]]: who uses a declaration of a Java repository, by javac.
//
// All tracked files are attributed in one task, with nothing from outside: what needs a missing package has no symbol and counts
// neither way. COUNT declarations of source that is no test are drawn with a fixed seed, each with every place where javac's symbol is
// that declaration. The shape is that of shared/conformance/users: a reference is [file index, line, class, form, direct];
// class use | import | self | decl; direct 0 marks uses of a method of the repository that overrides the declaration or is overridden by it.
import com.sun.source.tree.*;
import com.sun.source.util.*;
import java.io.*;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import java.util.stream.*;
import javax.lang.model.element.*;
import javax.tools.*;

public class JavaUses {
  record Use(int file, long line, String form, boolean isImport) {}
  record Declared(Element element, String kind, String target, String file, long line) {}

  static String run(Path root, String... command) throws Exception {
    Process process = new ProcessBuilder(command).directory(root.toFile()).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    process.waitFor();
    return text;
  }

  static boolean isTest(String path) {
    return path.contains("/test/") || path.startsWith("test") || path.contains("Test");
  }

  public static void main(String[] args) throws Exception {
    Path root = Path.of(args[0]).toRealPath();
    long seed = args.length > 3 ? Long.parseLong(args[3]) : 20261117;
    int count = args.length > 4 ? Integer.parseInt(args[4]) : 60;
    List<String> files = run(root, "git", "ls-files", "*.java").lines()
        .filter(it -> !it.endsWith("module-info.java") && !it.endsWith("package-info.java")).sorted().toList();
    JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
    StandardJavaFileManager manager = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    var units = manager.getJavaFileObjectsFromPaths(files.stream().map(root::resolve).toList());
    var options = List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-XDshould-stop.at=FLOW", "-Xmaxerrs", "0");
    JavacTask task = (JavacTask) compiler.getTask(Writer.nullWriter(), manager, it -> {}, options, null, units);
    List<CompilationUnitTree> trees = new ArrayList<>();
    task.parse().forEach(trees::add);
    task.analyze();
    Trees of = Trees.instance(task);
    var elements = task.getElements();
    Map<Element, List<Use>> uses = new HashMap<>();
    List<Declared> declared = new ArrayList<>();
    Set<Element> ownElements = new HashSet<>();
    for (CompilationUnitTree unit : trees) {
      String path = root.relativize(Path.of(unit.getSourceFile().toUri())).toString();
      int file = files.indexOf(path);
      new TreePathScanner<Void, Boolean>() {
        long line(long at) { return unit.getLineMap().getLineNumber(at); }

        void use(Tree tree, Name name, String form, Boolean isImport) {
          Element element = of.getElement(getCurrentPath());
          long end = of.getSourcePositions().getEndPosition(unit, tree);
          if (element == null || end < 0) return;
          long at = tree instanceof IdentifierTree ? of.getSourcePositions().getStartPosition(unit, tree) : end - name.length();
          uses.computeIfAbsent(element, it -> new ArrayList<>()).add(new Use(file, line(at), form, Boolean.TRUE.equals(isImport)));
        }

        void declare(Tree tree, String kind) {
          Element element = of.getElement(getCurrentPath());
          long at = of.getSourcePositions().getStartPosition(unit, tree);
          if (element != null) ownElements.add(element);
          if (element == null || at < 0 || isTest(path)) return;
          List<String> names = new ArrayList<>();
          for (Element it = element; it != null && it.getKind() != ElementKind.PACKAGE; it = it.getEnclosingElement()) {
            boolean isNamed = it.getKind().isClass() || it.getKind().isInterface() || it == element;
            if (!isNamed || it.getSimpleName().isEmpty()) return;
            names.add(0, it.getSimpleName().toString());
          }
          // The line of the name, past annotations and modifiers.
          String text;
          try { text = unit.getSourceFile().getCharContent(true).toString(); } catch (IOException broken) { return; }
          var word = java.util.regex.Pattern.compile("\\b" + element.getSimpleName() + "\\b").matcher(text);
          long named = word.find((int) at) ? word.start() : at;
          declared.add(new Declared(element, kind, path + "#" + String.join(".", names), path, line(named)));
        }

        @Override public Void visitImport(ImportTree tree, Boolean isImport) { return super.visitImport(tree, true); }
        @Override public Void visitIdentifier(IdentifierTree tree, Boolean isImport) { use(tree, tree.getName(), "name", isImport); return null; }
        @Override public Void visitMemberSelect(MemberSelectTree tree, Boolean isImport) { use(tree, tree.getIdentifier(), "access", isImport); return super.visitMemberSelect(tree, isImport); }
        @Override public Void visitMemberReference(MemberReferenceTree tree, Boolean isImport) { use(tree, tree.getName(), "reference", isImport); return super.visitMemberReference(tree, isImport); }
        @Override public Void visitClass(ClassTree tree, Boolean isImport) { declare(tree, "class"); return super.visitClass(tree, isImport); }
        @Override public Void visitMethod(MethodTree tree, Boolean isImport) {
          if (!tree.getName().contentEquals("<init>")) declare(tree, "method");
          return super.visitMethod(tree, isImport);
        }
        @Override public Void visitVariable(VariableTree tree, Boolean isImport) {
          Element element = of.getElement(getCurrentPath());
          if (element != null && element.getKind() == ElementKind.FIELD) declare(tree, "field");
          if (element != null && element.getKind() == ElementKind.ENUM_CONSTANT) declare(tree, "constant");
          return super.visitVariable(tree, isImport);
        }
      }.scan(unit, false);
    }
    // `path#A.b` means every overload.
    Map<String, List<Declared>> byTarget = declared.stream().collect(Collectors.groupingBy(Declared::target, TreeMap::new, Collectors.toList()));
    Map<String, List<List<Declared>>> pools = new TreeMap<>();
    byTarget.values().forEach(it -> pools.computeIfAbsent(it.get(0).kind(), kind -> new ArrayList<>()).add(it));
    Map<String, Integer> shares = Map.of("class", 12, "method", 28, "field", 14, "constant", 6);
    Random random = new Random(seed);
    StringBuilder out = new StringBuilder();
    String commit = run(root, "git", "rev-parse", "HEAD").strip();
    out.append("{\"schema\":\"portolan.users-truth@1\",\"repo\":").append(quote(args[2])).append(",\"language\":\"java\",\"commit\":").append(quote(commit));
    out.append(",\"oracle\":\"javac ").append(Runtime.version()).append("\",\"seed\":").append(seed).append(",\"extensions\":[\"java\"],\"files\":[");
    out.append(files.stream().map(JavaUses::quote).collect(Collectors.joining(","))).append("],\"declarations\":[");
    boolean isFirst = true;
    for (var pool : pools.entrySet()) {
      Collections.shuffle(pool.getValue(), random);
      for (List<Declared> one : pool.getValue().stream().limit(shares.get(pool.getKey()) * count / 60).toList()) {
        Set<Element> own = one.stream().map(Declared::element).collect(Collectors.toSet());
        Map<String, String> refs = new TreeMap<>();
        for (var used : uses.entrySet()) {
          boolean isDirect = own.contains(used.getKey());
          if (!isDirect && !ownElements.contains(used.getKey())) continue;
          if (!isDirect && own.stream().noneMatch(it -> isRelated(elements, it, used.getKey()))) continue;
          for (Use use : used.getValue()) {
            String kind = use.isImport() ? "import" : "use";
            String key = use.file() + ":" + use.line() + ":" + kind;
            String row = "[" + use.file() + "," + use.line() + "," + quote(kind) + "," + quote(use.form()) + "," + (isDirect ? 1 : 0) + "]";
            if (isDirect || !refs.containsKey(key)) refs.put(key, row);
          }
        }
        for (Declared it : one) refs.put(it.file() + ":" + it.line() + ":self", "[" + files.indexOf(it.file()) + "," + it.line() + ",\"self\",\"\",1]");
        for (Declared it : declared) if (own.stream().anyMatch(mine -> isRelated(elements, mine, it.element()))) refs.put(it.file() + ":" + it.line() + ":decl", "[" + files.indexOf(it.file()) + "," + it.line() + ",\"decl\",\"\",0]");
        Declared first = one.get(0);
        out.append(isFirst ? "" : ",").append("{\"stratum\":").append(quote(first.kind())).append(",\"kind\":").append(quote(first.kind()));
        out.append(",\"name\":").append(quote(first.element().getSimpleName().toString())).append(",\"target\":").append(quote(first.target()));
        out.append(",\"file\":").append(quote(first.file())).append(",\"line\":").append(first.line()).append(",\"refs\":[");
        out.append(String.join(",", refs.values())).append("]}");
        isFirst = false;
      }
    }
    Files.writeString(Path.of(args[1]), out.append("]}").toString());
  }

  /** Whether one method overrides the other. */
  static boolean isRelated(javax.lang.model.util.Elements elements, Element left, Element right) {
    if (left == right || !(left instanceof ExecutableElement one) || !(right instanceof ExecutableElement other)) return false;
    if (!one.getSimpleName().equals(other.getSimpleName())) return false;
    if (!(one.getEnclosingElement() instanceof TypeElement a) || !(other.getEnclosingElement() instanceof TypeElement b)) return false;
    return elements.overrides(one, other, a) || elements.overrides(other, one, b);
  }

  static String quote(String text) {
    return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
