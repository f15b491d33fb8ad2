<?php
// Prints what the files of a repository define and use, read by nikic/PHP-Parser:
//     php names.php PHP-PARSER < files
// One JSON object a line: file, defines and functions (full names), uses and calls (full names), includes (paths).
spl_autoload_register(function ($class) use ($argv) {
    $path = $argv[1] . '/lib/' . str_replace('\\', '/', $class) . '.php';
    if (is_file($path)) { require $path; }
});

use PhpParser\Node;

final class Reader extends PhpParser\NodeVisitorAbstract {
    public array $out;
    private function add(string $kind, string $name): void { $this->out[$kind][$name] = true; }
    public function enterNode(Node $node) {
        if ($node instanceof Node\Stmt\ClassLike && $node->name !== null) { $this->add('defines', $node->namespacedName->toString()); }
        if ($node instanceof Node\Stmt\Function_) { $this->add('functions', $node->namespacedName->toString()); }
        if ($node instanceof Node\Stmt\Use_ || $node instanceof Node\Stmt\GroupUse) {
            foreach ($node->uses as $use) {
                $prefix = $node instanceof Node\Stmt\GroupUse ? $node->prefix->toString() . '\\' : '';
                $type = $node->type === Node\Stmt\Use_::TYPE_UNKNOWN ? $use->type : $node->type;
                $kinds = [Node\Stmt\Use_::TYPE_NORMAL => 'uses', Node\Stmt\Use_::TYPE_FUNCTION => 'calls'];
                if (isset($kinds[$type])) { $this->add($kinds[$type], $prefix . $use->name->toString()); }
            }
            return PhpParser\NodeVisitor::DONT_TRAVERSE_CHILDREN;
        }
        if ($node instanceof Node\Expr\FuncCall && $node->name instanceof Node\Name) {
            $full = $node->name->getAttribute('namespacedName') ?? $node->name;
            $this->add('calls', $full->toString());
            $node->name->setAttribute('seen', true);
        }
        if ($node instanceof Node\Expr\ConstFetch) { $node->name->setAttribute('seen', true); }
        if ($node instanceof Node\Name\FullyQualified && !$node->getAttribute('seen')) { $this->add('uses', $node->toString()); }
        if ($node instanceof Node\Expr\Include_) {
            $path = $this->path($node->expr);
            if ($path !== null) { $this->add('includes', $path); }
        }
        return null;
    }
    private function path(Node $node): ?string {
        if ($node instanceof Node\Scalar\String_) { return $node->value; }
        if ($node instanceof Node\Scalar\MagicConst\Dir) { return dirname($this->out['file']); }
        if ($node instanceof Node\Scalar\MagicConst\File) { return $this->out['file']; }
        if ($node instanceof Node\Expr\BinaryOp\Concat) {
            $left = $this->path($node->left); $right = $this->path($node->right);
            return $left === null || $right === null ? null : $left . $right;
        }
        if ($node instanceof Node\Expr\FuncCall && $node->name instanceof Node\Name && $node->name->getLast() === 'dirname') {
            $inner = $this->path($node->args[0]->value);
            $levels = isset($node->args[1]) ? ($node->args[1]->value->value ?? 1) : 1;
            return $inner === null ? null : dirname($inner, $levels);
        }
        return null;
    }
}

$parser = (new PhpParser\ParserFactory())->createForNewestSupportedVersion();
while (($file = fgets(STDIN)) !== false) {
    $file = rtrim($file, "\n");
    $reader = new Reader();
    $reader->out = ['file' => $file, 'defines' => [], 'functions' => [], 'uses' => [], 'calls' => [], 'includes' => []];
    try {
        $tree = (new PhpParser\NodeTraverser(new PhpParser\NodeVisitor\NameResolver()))->traverse($parser->parse(file_get_contents($file)));
        (new PhpParser\NodeTraverser($reader))->traverse($tree);
    } catch (Throwable $error) { continue; }
    foreach (['defines', 'functions', 'uses', 'calls', 'includes'] as $kind) { $reader->out[$kind] = array_keys($reader->out[$kind]); }
    echo json_encode($reader->out, JSON_INVALID_UTF8_SUBSTITUTE), "\n";
}
