"""JPA entities of Java and Kotlin: names, types, keys, inheritance and what another file states."""

from __future__ import annotations

import pytest

from coderag.frameworks.common.shared import with_shared
from coderag.frameworks.registry import read_code
from coderag.sql.records import Column, CreateTable, Describe, Evidence, Facts, Name, Origin, SchemaFile, Source, Table

ORDER = """\
package shop;
import jakarta.persistence.*;

/** An order of a customer. More of it. */
@Entity
@Table(name = "orders", schema = "sales",
       uniqueConstraints = @UniqueConstraint(columnNames = {"number", "customer_id"}),
       indexes = @Index(columnList = "status, tax desc", unique = true))
public class Order extends Base {
  static final String NUMBER = "number";
  /** shown to people */
  @Column(name = NUMBER, nullable = false, length = 20) private String orderNumber;
  private BigDecimal totalAmount; // in euro
  @Column(precision = 10, scale = 2, unique = true) BigDecimal tax;
  int lineCount;
  @Enumerated(EnumType.STRING) private Status status;
  private Status oldStatus;
  @ManyToOne(optional = false) private Customer customer;
  @ManyToOne @JoinColumn(name = "sold_by", referencedColumnName = "code") private Seller seller;
  @OneToMany(mappedBy = "order") List<Line> lines;
  @ManyToMany Set<Tag> tags;
  @Embedded @AttributeOverride(name = "street", column = @Column(name = "ship_street")) Address address;
  @ElementCollection List<String> notes;
  @Transient String shown;
  transient String cached;
  @Column(columnDefinition = "jsonb") String extra;
  enum Status { OPEN, PAID }
}

@MappedSuperclass
class Base {
  @Id @GeneratedValue(strategy = GenerationType.IDENTITY) Long id;
}

@Embeddable
class Address { String street; @Column(nullable = false) String zipCode; }

@Entity
class Customer { @EmbeddedId Key key; }

@Embeddable
class Key { int area; int number; }
"""


def facts(text: str, language: str = "java") -> Facts:
    """Return what a file of Java or Kotlin tells."""
    found = read_code(text.encode(), language=language, path="Order.java")
    assert found is not None
    return found


def tables(text: str, language: str = "java") -> dict[str, Table]:
    """Return the tables of a file by name."""
    return {
        str(operation.table.name): operation.table
        for operation in facts(text, language).operations
        if isinstance(operation, CreateTable)
    }


def java(body: str) -> dict[str, Table]:
    """Return the tables of some classes."""
    return tables(f"import javax.persistence.*;\n{body}")


def types(table: Table) -> dict[str, str]:
    """Return the types of a table's columns."""
    return {column.name: column.type for column in table.columns}


def test_an_entity_is_a_table() -> None:
    found = tables(ORDER)
    assert list(found) == ["sales.orders", "sales.orders_tags", "sales.order_notes", "customer"]
    orders = found["sales.orders"]
    assert (orders.name, orders.alias) == (Name("orders", schema="sales"), "Order")
    assert orders.comment == "An order of a customer."
    assert orders.origins == (Origin.ORM,)
    assert orders.sources == (Source("", 5, 28),)
    assert orders.primary_key == ("id",)
    assert orders.unique == (("tax",), ("number", "customer_id"), ("status", "tax"))


def test_its_columns() -> None:
    assert tables(ORDER)["sales.orders"].columns == (
        Column("id", "bigint", nullable=False, identity=True, source=Source("", 32, 32)),
        Column(
            "number",
            "varchar(20)",
            nullable=False,
            comment="shown to people",
            field="orderNumber",
            source=Source("", 12, 12),
        ),
        Column("total_amount", "numeric", comment="in euro", field="totalAmount", source=Source("", 13, 13)),
        Column("tax", "numeric(10, 2)", source=Source("", 14, 14)),
        Column("line_count", "integer", nullable=False, field="lineCount", source=Source("", 15, 15)),
        Column("status", "varchar(255)", values=("OPEN", "PAID"), source=Source("", 16, 16)),
        Column(
            "old_status",
            "smallint",
            comment="0 = OPEN, 1 = PAID",
            values=("0", "1"),
            field="oldStatus",
            source=Source("", 17, 17),
        ),
        Column("customer_area", "integer", nullable=False, field="customer.customer_area", source=Source("", 18, 18)),
        Column(
            "customer_number", "integer", nullable=False, field="customer.customer_number", source=Source("", 18, 18)
        ),
        Column("sold_by", field="seller", source=Source("", 19, 19)),
        Column("ship_street", "varchar(255)", field="address.street", source=Source("", 36, 36)),
        Column("zip_code", "varchar(255)", nullable=False, field="address.zipCode", source=Source("", 36, 36)),
        Column("extra", "jsonb", source=Source("", 26, 26)),
    )


def test_its_keys_name_the_class_that_they_lead_to() -> None:
    keys = tables(ORDER)["sales.orders"].foreign_keys
    assert [(key.columns, str(key.table), key.referenced, key.model) for key in keys] == [
        (("customer_area", "customer_number"), "customer", ("area", "number"), "Customer"),
        (("sold_by",), "seller", ("code",), "Seller"),
    ]
    assert {key.evidence for key in keys} == {Evidence.MODEL}


def test_tables_without_a_class() -> None:
    found = tables(ORDER)
    assert types(found["sales.orders_tags"]) == {"order_id": "bigint", "tags_id": ""}
    assert found["sales.orders_tags"].primary_key == ("order_id", "tags_id")
    assert types(found["sales.order_notes"]) == {"order_id": "bigint", "notes": "varchar(255)"}
    assert [str(key.table) for key in found["sales.order_notes"].foreign_keys] == ["sales.orders"]


def test_a_stated_table_between() -> None:
    between = java(
        """\
@Entity class A {
  @Id long id;
  @ManyToMany
  @JoinTable(name = "a_b", joinColumns = @JoinColumn(name = "a"), inverseJoinColumns = @JoinColumn(name = "b"))
  List<B> bs;
}
"""
    )["a_b"]
    assert types(between) == {"a": "bigint", "b": ""}
    assert [(key.columns, key.table.name) for key in between.foreign_keys] == [(("a",), "a"), (("b",), "b")]


def test_one_table_for_a_hierarchy() -> None:
    found = java(
        "@Entity class Animal { @Id UUID id; String name; }\n"
        '@Entity @DiscriminatorValue("D") class Dog extends Animal { boolean barks; @ManyToOne Animal friend; }\n'
        "@Entity class Owner { @Id int id; @ManyToOne Dog dog; }\n"
    )
    assert list(found) == ["animal", "owner"]
    assert types(found["animal"]) == {
        "id": "uuid",
        "name": "varchar(255)",
        "barks": "boolean",
        "friend_id": "uuid",
        "dtype": "varchar(31)",
    }
    assert found["animal"].columns[2].nullable
    assert found["animal"].columns[-1].values == ("Animal", "D")
    assert [(key.table.name, key.model) for key in found["owner"].foreign_keys] == [("animal", "Animal")]


def test_joined_tables_for_a_hierarchy() -> None:
    found = java(
        "@Entity @Inheritance(strategy = InheritanceType.JOINED) class Vehicle { @Id long id; }\n"
        "@Entity class Car extends Vehicle { int doors; }\n"
    )
    assert types(found["car"]) == {"id": "bigint", "doors": "integer"}
    assert found["car"].primary_key == ("id",)
    assert [(key.columns, key.table.name, key.referenced) for key in found["car"].foreign_keys] == [
        (("id",), "vehicle", ("id",))
    ]


def test_properties_may_be_mapped_by_their_getters() -> None:
    [table] = java(
        """\
@Entity
public class UserAccount {
  private Long id; // numbered
  private String firstName;
  @Id public Long getId() { return id; }
  @Column(name = "first", length = 9) public String getFirstName() { return firstName; }
  public boolean isActive() { return true; }
  @Transient public String getShown() { return ""; }
  public String getPart(int n) { return ""; }
}
"""
    ).values()
    assert types(table) == {"id": "bigint", "first": "varchar(9)", "active": "boolean"}
    assert (table.name.name, table.columns[0].comment) == ("user_account", "numbered")


def test_a_key_that_is_a_relation() -> None:
    table = java("@Entity class Profile { @Id Long id; @OneToOne @MapsId User user; String name; }")["profile"]
    assert table.primary_key == ("user_id",)
    assert [(column.name, column.nullable) for column in table.columns] == [("user_id", False), ("name", True)]


def test_kotlin() -> None:
    found = tables(
        """\
import jakarta.persistence.*

/** Somebody. */
@Entity
@Table(name = "users", uniqueConstraints = [UniqueConstraint(columnNames = ["mail", "team_id"])])
class User(
  @Id @GeneratedValue val id: Long? = null,
  /** how we reach them */
  @Column(name = "mail", nullable = false) var email: String,
  val loginCount: Int,
  ignored: Int
) : Base() {
  @ManyToOne(optional = false) @JoinColumn(name = "team_id")
  lateinit var team: Team
  @OneToMany(mappedBy = "user") var posts: MutableSet<Post> = mutableSetOf()
  @Enumerated(EnumType.STRING) var level: Level = Level.LOW
  val shown: String get() = email
}

enum class Level { LOW, HIGH }
""",
        "kotlin",
    )
    users = found["users"]
    assert users.comment == "Somebody."
    assert [(column.name, column.type, column.nullable, column.comment) for column in users.columns] == [
        ("id", "bigint", False, ""),
        ("mail", "varchar(255)", False, "how we reach them"),
        ("login_count", "integer", False, ""),
        ("team_id", "", False, ""),
        ("level", "varchar(255)", True, ""),
    ]
    assert users.columns[-1].values == ("LOW", "HIGH")
    assert users.unique == (("mail", "team_id"),)
    assert [(key.columns, key.table.name, key.model) for key in users.foreign_keys] == [(("team_id",), "team", "Team")]


def test_what_another_file_states_is_reported() -> None:
    found = facts(
        "import javax.persistence.*;\n@Entity @Table(name = Names.A)\nclass A {}\n"
        "@Entity\nclass B {\n  @Id int id;\n  @Column(name = Names.C) int c;\n  @EmbeddedId Key d;\n}\n"
    )
    assert [(one.line, one.reason) for one in found.unparsed] == [
        (2, "its name is stated in another file"),
        (7, "its name is stated in another file"),
        (8, "the columns of Key are in another file"),
    ]


def test_an_entity_whose_columns_are_all_elsewhere_is_only_described() -> None:
    [described] = facts("import javax.persistence.*;\n@Entity\nclass A extends Base {}\n").operations
    assert isinstance(described, Describe)
    assert described.table.alias == "A"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "@Entity class A { @Id int id; }",  # of another library
        "import javax.persistence.EntityManager;\nclass A { /* @Entity */ }",
        "import javax.persistence.*;\n@Converter class A { int id; } // .Entity",
    ],
)
def test_other_files_are_nothing(text: str) -> None:
    assert read_code(text.encode(), language="java", path="A.java") is None


def test_entities_of_another_framework_are_said_and_not_read() -> None:
    text = "import io.ebean.Model;\n@Entity class A { @Id int id; }"
    assert read_code(text.encode(), language="java", path="A.java") == Facts(unread="Ebean entities")


@pytest.mark.parametrize(
    "text",
    [
        "@Entity class A { @Id",
        "@Entity @Table( class A extends A { @Id @Column( int id; @ManyToOne A a; }",
        "@Entity class A extends B {} @Entity class B extends A { @ManyToOne A a; @Embedded B b; }",
        "@Entity class A { @Embedded E e; @EmbeddedId E f; } @Embeddable class E { @Embedded E e; @ManyToOne E x; }",
        "@Entity class A { @ManyToMany int x; @ElementCollection y; @OneToOne @MapsId @JoinColumn(name = 1) z; }",
    ],
)
@pytest.mark.parametrize("language", ["java", "kotlin"])
def test_bad_text_breaks_nothing(text: str, language: str) -> None:
    read_code(f"import javax.persistence.*;\n{text}".encode(), language=language, path="A.java")


def test_superclasses_and_parts_of_other_files_give_their_columns() -> None:
    used = "import jakarta.persistence.*;\n"
    texts = {
        "core/Persisted.java": (
            f"{used}@MappedSuperclass\nabstract class Persisted<T> {{\n  @Id @GeneratedValue private Long id;\n}}\n"
        ),
        "core/Audited.java": (
            f"{used}@MappedSuperclass\nabstract class Audited extends Persisted<Long> {{ Date made; }}\n"
        ),
        "core/Money.java": f"{used}@Embeddable\nclass Money {{\n  String currency;\n}}\n",
        "loan/Loan.java": (
            f"{used}@Entity\nclass Loan extends Audited {{\n  String name;\n  @Embedded Money total;\n}}\n"
        ),
        "loan/Share.java": (
            f"{used}@Entity\nclass Share extends Persisted<Long> {{ @Embedded Money low; @Embedded Money high; }}\n"
        ),
    }
    files = [
        SchemaFile(path, read_code(text.encode(), language="java", path=path) or Facts())
        for path, text in texts.items()
    ]
    tables = {
        str(operation.table.name): ([column.name for column in operation.table.columns], operation.table.primary_key)
        for file in with_shared(files)
        for operation in file.facts.operations
        if isinstance(operation, CreateTable)
    }
    assert tables == {
        "loan": (["id", "made", "name", "currency"], ("id",)),
        "share": (["id"], ("id",)),
    }
