package shop;

import static shop.db.Tables.ORDERS;
import static shop.db.Tables.USERS;
import org.jooq.DSLContext;

class Orders {
    private final shop.db.tables.Users u = USERS.as("u");

    OrdersRecord get(DSLContext ctx, int id) {
        return ctx.selectFrom(ORDERS).where(ORDERS.ID.eq(id)).fetchOne();
    }

    List<String> names(DSLContext ctx) {
        return ctx.select(u.MAIL, ORDERS.TOTAL.sum())
            .from(u)
            .leftJoin(ORDERS).on(ORDERS.USER_ID.eq(u.ID))
            .groupBy(u.MAIL)
            .fetch(u.MAIL);
    }

    Result<Record> all(DSLContext ctx) {
        return ctx.select().from(Tables.TAGS).orderBy(Tables.TAGS.NAME).fetch();
    }

    void add(DSLContext ctx, Order order) {
        ctx.insertInto(ORDERS, ORDERS.USER_ID, ORDERS.TOTAL).values(order.user(), order.total()).execute();
        ctx.insertInto(USERS).set(USERS.MAIL, "a").onDuplicateKeyIgnore().execute();
    }

    void change(DSLContext ctx, Order order) {
        ctx.update(ORDERS).set(ORDERS.TOTAL, order.total()).where(ORDERS.ID.eq(order.id())).execute();
        ctx.deleteFrom(ORDERS).where(ORDERS.STATE.eq(Status.CLOSED)).execute();
    }

    boolean has(DSLContext ctx) {
        return ctx.fetchExists(ctx.selectOne().from(USERS).where(USERS.MAIL.isNull()));
    }

    Condition open() {
        return ORDERS.STATE.eq("open").and(ORDERS.TOTAL.gt(3));
    }

    void other(Map<String, String> map, Widget widget) {
        map.update(KEY);
        widget.select(Status.CLOSED);
    }
}

/** What jOOQ generates of a table. */
class Books extends org.jooq.impl.TableImpl<BooksRecord> {
    public static final Books BOOKS = new Books();

    public final TableField<BooksRecord, Integer> ID = createField(
        DSL.name("id"), SQLDataType.INTEGER.nullable(false).identity(true), this, "");
    public final TableField<BooksRecord, String> TITLE = createField(
        DSL.name("title"), SQLDataType.VARCHAR(400).nullable(false).defaultValue(DSL.inline("x", SQLDataType.VARCHAR)), this, "as printed");
    public final TableField<BooksRecord, BigDecimal> PRICE = createField(DSL.name("price"), SQLDataType.NUMERIC(10, 2), this, "");
    public final TableField<BooksRecord, Mood> MOOD = createField(DSL.name("mood"), SQLDataType.VARCHAR.asEnumDataType(Mood.class), this, "");
    public final Condition OPEN = DSL.condition("open");

    private Books(Name alias, Table<BooksRecord> aliased) {
        super(alias, null, aliased, null, DSL.comment("Books that are lent"), TableOptions.table(), null);
    }

    public Books() {
        this(DSL.name("books"), null);
    }
}

class Plain extends TableImpl<PlainRecord> {
}
