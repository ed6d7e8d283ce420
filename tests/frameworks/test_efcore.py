"""Classes of Entity Framework to tables."""

from __future__ import annotations

from coderag.frameworks.registry import read_code
from coderag.sql.records import Column, CreateTable, Name, Origin, Relation, Source, Table

ENTITIES = """using System.ComponentModel.DataAnnotations.Schema;
[Table("orders", Schema = "sales")]
public class Order
{
    [Key, Column("id")]
    public long Id { get; set; }
    [Column("customer_id")]
    public long CustomerId { get; set; }
    public string? Note { get; set; }
    [NotMapped]
    public string Label { get; set; }
    public Customer Customer { get; set; } = null!;
    public List<Line> Lines { get; set; } = new();
}

public class Customer { public int Id { get; set; } }

public class Helper { public int Count { get; set; } }

public class Shop : DbContext { public DbSet<Customer> Customers { get; set; } }
"""


def tables(text: str) -> list[Table]:
    """Return the tables that a file declares."""
    found = read_code(text.encode(), language="csharp", path="x.cs")
    return [one.table for one in (found.operations if found else ()) if isinstance(one, CreateTable)]


def test_an_entity_is_a_table() -> None:
    order, customer = tables(ENTITIES)
    assert (order.name, order.alias, order.origins) == (Name("orders", schema="sales"), "Order", (Origin.ORM,))
    assert order.columns == (
        Column("id", "bigint", nullable=False, field="Id", source=Source("", 5, 6)),
        Column("customer_id", "bigint", nullable=False, field="CustomerId", source=Source("", 7, 8)),
        Column("Note", "text", source=Source("", 9, 9)),
    )
    assert order.primary_key == ("id",)
    assert order.relations == (Relation("Customer", "Customer", columns=("customer_id",)), Relation("Lines", "Line"))
    assert (customer.name, customer.alias) == (Name("Customers"), "Customer")


def test_a_class_that_nothing_maps_is_none() -> None:
    assert tables("public class A { public int Id { get; set; } } // DbSet<") == []
