<?php
declare(strict_types=1);

namespace App\Shapes;

use App\Base;

const LIMIT = 10;
define('OLD', 1);

/**
 * A circle.
 */
#[Entity]
final class Circle extends Base implements Shape
{
    use Helps;

    public const MAX = 3;
    private ?string $label = null;
    public static int $count = 0, $other;

    /** Makes one. */
    public function __construct(private int $radius, public readonly string $name)
    {
        $inner = function () { return 1; };
    }

    abstract protected function area(): float;

    public static function unit(): static
    {
        return new static(1);
    }
}

interface Shape
{
    const SIDES = 0;
    public function area(): float;
}

trait Helps
{
    public function help(): void {}
}

enum Suit: string
{
    case Hearts = 'H';
    case Spades = 'S';

    public function label(): string { return ''; }
}

// Adds.
function add(int $a, int $b = 2): int
{
    return $a + $b;
}

$global = fn ($x) => $x;

if (!function_exists('helper')) {
    function helper() {}
}

$object = new class extends Base { public function inner() {} };
?>
<p><?= add(1, 2) ?></p>
