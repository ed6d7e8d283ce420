<?php

/**
 * Orders of a small shop.
 */

declare(strict_types=1);

namespace Shop\Orders;

use DateTimeImmutable;
use Shop\Money as Amount;
use Shop\{Customer, Item as CartItem};
use function array_map, Shop\Text\slug;

require_once __DIR__ . '/bootstrap.php';

const LIMIT = 100;
define('SHOP_DEBUG', false);

/** What can be priced. */
interface Priced extends \Countable
{
    public const CURRENCY = '€';

    /** Returns the price in cents. */
    public function price(bool $withTax = true): int;
}

trait Logs
{
    protected array $log = [];

    # Adds a line to the log.
    public function log(string $line, mixed ...$context): static
    {
        $this->log[] = sprintf($line, ...$context);
        return $this;
    }

    abstract protected function channel(): string;
}

/** How far an order is. */
enum State: string implements \JsonSerializable
{
    case Open = 'open';
    case Paid = 'paid'; // not yet shipped

    const DEFAULT = self::Open;

    public static function parse(string $text): self
    {
        return self::tryFrom(strtolower($text)) ?? self::DEFAULT;
    }

    public function jsonSerialize(): string { return $this->value; }
}

/**
 * An order and its lines.
 *
 * @template T of CartItem
 */
#[Entity(table: 'orders')]
#[Cached]
final class Order extends Model implements Priced
{
    use Logs, Dates { Logs::log as protected write; }

    final protected const int MAX = 50;

    /** @var list<CartItem> */
    private array $items = [];
    public readonly State $state;
    public static ?self $last = null;

    public string $title {
        get => ucfirst($this->title);
        set(string $value) {
            $this->title = trim($value);
        }
    }

    public function __construct(
        private readonly Customer $customer,
        protected ?DateTimeImmutable $placed = null,
    ) {
        parent::__construct();
        $this->state = State::DEFAULT;
        self::$last = $this;
    }

    /** Makes an order from an array. */
    #[Pure]
    public static function fromArray(array $data): static
    {
        return new static(new Customer($data['customer']));
    }

    public function &items(): array { return $this->items; } public function count(): int { return \count($this->items); }

    // Returns the sum of all lines,
    // with or without tax.
    public function price(bool $withTax = true): int
    {
        $net = array_sum(array_map(fn (CartItem $item): int => $item->price(), $this->items));
        $tax = function (int $cents) use ($withTax) {
            return $withTax ? (int) round($cents * 1.19) : $cents;
        };
        return $this->customer?->discount()?->apply($tax($net)) ?? \Shop\Money\zero();
    }

    protected function channel(): string
    {
        return slug('Bestellung Nº 1');
    }

    abstract protected function ship(Address|string $to): void;
}

abstract class Visitor{function visit ( Order $order )
  { foreach ( $order -> items ( ) as $item ) $this -> seen ( $item ) ; } }

/** Returns the order with this number. */
function find_order(int $number): ?Order
{
    static $cache = [];
    return $cache[$number] ??= Amount::load($number);
}

if (!function_exists('dd')) {
    function dd(mixed ...$values): never
    {
        exit(1);
    }
}

$total = 0;
$format = static fn (int $cents): string => number_format($cents / 100, 2);
$handlers = [
    'created' => function (Order $order) {
        return $order->log('created');
    },
    'paid' => fn (Order $order) => event(new Events\OrderPaid($order)),
];

it('adds an item', function () {
    expect(find_order(1))->not->toBeNull();
});

describe('Order', function () {
    test("parses '€'", fn () => expect(State::parse('PAID'))->toBe(State::Paid));
});

return new class extends Migration {
    /** Creates the table. */
    public function up(): void
    {
        Schema::create('orders', function (Blueprint $table) {
            $table->id();
        });
    }
};
