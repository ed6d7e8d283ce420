"""Entities of Doctrine to tables, whether attributes or annotations say so."""

from __future__ import annotations

from pathlib import Path

from coderag.catalog.fold import fold
from coderag.frameworks.common.shared import with_shared
from coderag.frameworks.registry import read_code
from coderag.sql.records import Facts, SchemaFile
from coderag.sql.settings import Settings
from tests.frameworks.show import show
from tests.workspace import write

HEAD = """<?php
namespace App\\Entity;
use Doctrine\\DBAL\\Types\\Types;
use Doctrine\\ORM\\Mapping as ORM;
"""
ORDER = """
#[ORM\\Entity(repositoryClass: OrderRepository::class)]
#[ORM\\Table(
    name: 'shop_orders',
    options: ['comment' => 'what was bought'],
    uniqueConstraints: [new ORM\\UniqueConstraint(columns: ['number', 'shop_id'])],
)]
#[ORM\\UniqueConstraint(fields: ['placedAt'])]
class Order extends Base
{
    use Stamped;

    public const MAX = 40;

    #[ORM\\Id, ORM\\GeneratedValue, ORM\\Column]
    private ?int $id = null;

    /** Shown to the customer. */
    #[ORM\\Column(length: self::MAX, unique: true)]
    private string $number;

    #[ORM\\Column(type: Types::DECIMAL, precision: 10, scale: 2, options: ['default' => 0, 'comment' => 'with tax'])]
    private string $total;

    #[ORM\\Column(name: '`state`', nullable: true)]
    private ?string $status;

    #[ORM\\Column]
    private \\DateTimeImmutable $placedAt;

    #[ORM\\Column(type: Types::DATETIME_MUTABLE, columnDefinition: 'TIMESTAMP NOT NULL')]
    private $seen;

    #[ORM\\Column(type: 'money')]
    private $tip;

    #[ORM\\Column(options: ['unsigned' => true])]
    private int $weight = 0;

    private string $notStored = '';

    #[ORM\\ManyToOne(inversedBy: 'orders')]
    #[ORM\\JoinColumn(name: 'shop_id', referencedColumnName: 'key', nullable: false)]
    private Shop $shop;

    #[ORM\\ManyToOne(targetEntity: self::class)]
    private $parent;

    #[ORM\\OneToOne(mappedBy: 'order')]
    private ?Invoice $invoice;

    #[ORM\\OneToMany(mappedBy: 'order', targetEntity: Line::class)]
    private Collection $lines;

    #[ORM\\ManyToMany(targetEntity: \\App\\Entity\\Tag::class)]
    private Collection $tags;

    #[ORM\\ManyToMany(targetEntity: Order::class)]
    #[ORM\\JoinTable('order_links')]
    #[ORM\\JoinColumn(name: 'from_id')]
    private Collection $linked;
}
"""
NOTED = """
/**
 * A user, as they sign in.
 *
 * @ORM\\Entity(repositoryClass="App\\Repository\\UserRepository")
 * @ORM\\Table(
 *   name="users",
 *   uniqueConstraints={@ORM\\UniqueConstraint(name="mail", columns={"mail", "realm"})}
 * )
 * @ORM\\InheritanceType("SINGLE_TABLE")
 * @ORM\\DiscriminatorColumn(name="kind", type="string", length=20)
 */
class User
{
    /**
     * @ORM\\Id
     * @ORM\\Column(type="guid")
     */
    private $id;

    /** @ORM\\Column(type="string", length=180, nullable=true, options={"default": "a ""b"" c"}) */
    private $mail;

    /**
     * @ORM\\Column(name="realm")
     * @author someone@example.org
     */
    private $realm;

    /**
     * @ORM\\ManyToMany(targetEntity="Role")
     * @ORM\\JoinTable(name="user_roles",
     *   joinColumns={@ORM\\JoinColumn(name="uid", referencedColumnName="id")},
     *   inverseJoinColumns={@ORM\\JoinColumn(name="rid", referencedColumnName="id")})
     */
    private $roles;
}
"""
ORDER_SHOWN = """table shop_orders (Order): what was bought
  id integer not null identity
  number varchar(40) not null -- Shown to the customer.
  total decimal(10, 2) not null default 0 -- with tax
  state varchar(255)
  placed_at datetime not null
  seen TIMESTAMP not null
  tip money not null
  weight integer unsigned not null
  shop_id not null
  parent_id
  primary key id
  unique number
  unique number, shop_id
  unique placed_at
  key shop_id to shop (key) = Shop
  key parent_id to order = Order
table order_tag
  order_id not null
  tag_id not null
  primary key order_id, tag_id
  key order_id to order = Order
  key tag_id to tag = Tag
table order_links
  from_id not null
  order_target not null
  primary key from_id, order_target
  key from_id to order = Order
  key order_target to order = Order"""
NOTED_SHOWN = """table users (User): A user, as they sign in.
  id char(36) not null
  mail varchar(180) default 'a "b" c'
  realm varchar(255) not null
  kind varchar(20) not null
  primary key id
  unique mail, realm
table user_roles
  uid not null
  rid not null
  primary key uid, rid
  key uid to user = User
  key rid to role = Role"""


def facts_of(text: str) -> Facts | None:
    return read_code((HEAD + text).encode(), language="php", path="src/Entity/Order.php")


def test_attributes() -> None:
    facts = facts_of(ORDER)
    assert facts is not None
    assert "\n".join(show(facts)) == ORDER_SHOWN


def test_annotations() -> None:
    facts = facts_of(NOTED)
    assert facts is not None
    assert "\n".join(show(facts)) == NOTED_SHOWN


def test_a_class_that_is_no_entity_is_no_table() -> None:
    facts = facts_of("#[ORM\\Embeddable]\nclass Money { #[ORM\\Column] private int $cents; }")
    assert facts is None or not facts.operations


def test_endless_annotations_end() -> None:
    facts = facts_of("/** @ORM\\Entity " + "@ORM\\Table({" * 3_000 + " */\nclass A {}")
    assert facts is not None


def test_traits_and_mapped_superclasses_of_other_files(tmp_path: Path) -> None:
    """Their columns are in the tables of the entities; a subclass of an entity has no table of its own."""
    files = {
        "src/Entity/Base.php": "#[ORM\\MappedSuperclass]\nclass Base { #[ORM\\Id, ORM\\Column] private int $id; }",
        "src/Entity/Stamped.php": "trait Stamped { #[ORM\\Column] private \\DateTime $madeAt; }",
        "src/Entity/Animal.php": (
            "#[ORM\\Entity]\n#[ORM\\InheritanceType('SINGLE_TABLE')]\n"
            "class Animal extends Base { use Stamped; #[ORM\\Column] private string $name; }"
        ),
        "src/Entity/Cat.php": "#[ORM\\Entity]\nclass Cat extends Animal { #[ORM\\Column] private int $lives; }",
    }
    root = write(tmp_path, {path: HEAD + text for path, text in files.items()})
    told = [
        SchemaFile(path, facts)
        for path in sorted(files)
        if (facts := read_code((root / path).read_bytes(), language="php", path=path)) is not None
    ]
    schema = fold(with_shared(told), Settings())
    tables = {str(table.name.name): [column.name for column in table.columns] for table in schema.tables}
    assert tables == {"animal": ["id", "name", "made_at", "dtype"]}
    assert schema.tables[0].primary_key == ("id",)


KEYS = """
#[ORM\\Entity]
#[ORM\\UniqueConstraint(fields: ['user', 'slug'])]
class Page
{
    #[ORM\\Id, ORM\\Column]
    private int $id;

    #[ORM\\Column]
    private string $slug;

    #[ORM\\ManyToOne]
    private User $user;

    #[ORM\\OneToOne]
    #[ORM\\JoinColumn(name: 'tenant_id', referencedColumnName: 'tenant')]
    #[ORM\\JoinColumn(name: 'file_no', referencedColumnName: 'no')]
    private File $file;
}
"""


def test_keys_of_several_columns() -> None:
    facts = facts_of(KEYS)
    assert facts is not None
    assert show(facts)[6:] == [
        "  primary key id",
        "  unique tenant_id, file_no",
        "  unique user_id, slug",
        "  key user_id to user = User",
        "  key tenant_id, file_no to file (tenant, no) = File",
    ]
