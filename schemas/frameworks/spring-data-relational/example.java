package org.example.shop;

import java.time.Instant;
import java.util.Set;
import org.springframework.data.annotation.Id;
import org.springframework.data.annotation.Transient;
import org.springframework.data.jdbc.core.mapping.AggregateReference;
import org.springframework.data.relational.core.mapping.Column;
import org.springframework.data.relational.core.mapping.Embedded;
import org.springframework.data.relational.core.mapping.MappedCollection;
import org.springframework.data.relational.core.mapping.Table;

/** Somebody who buys. */
@Table(name = "customers", schema = "shop")
public class Customer {
    @Id
    private Long id;

    private String firstName;

    @Column("mail")
    private String email;

    private int visits;

    @Embedded(onEmpty = Embedded.OnEmpty.USE_NULL, prefix = "home_")
    private Address home;

    @MappedCollection(idColumn = "customer_id")
    private Set<Order> orders;

    @Transient
    private String shown;
}

class Address {
    private String street;
    private String zip;
}

@Table("shop_order")
record Order(@Id Long id, Instant createdAt, AggregateReference<Customer, Long> payer) {}
