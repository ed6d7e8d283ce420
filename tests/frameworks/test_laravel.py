"""Laravel's migrations to operations."""

from __future__ import annotations

import pytest

from coderag.frameworks.registry import read_code
from coderag.sql.records import Facts, Series
from tests.frameworks.show import show

PATH = "database/migrations/2024_01_02_030405_shop.php"
HEAD = """<?php
use Illuminate\\Database\\Migrations\\Migration;
use Illuminate\\Database\\Schema\\Blueprint;
use Illuminate\\Support\\Facades\\Schema;
return new class extends Migration {
    private const TABLE = 'audits';
"""
SHOP = """
    public function up(): void
    {
        Schema::create('orders', function (Blueprint $table) {
            $table->id();
            $table->foreignId('customer_id')->constrained()->cascadeOnDelete();
            $table->foreignId('seller_id')->nullable()->constrained(table: 'users', indexName: 'fk_seller');
            $table->foreignIdFor(Warehouse::class)->constrained();
            $table->uuid('token')->unique();
            $table->string('number', 40)->comment('shown to the customer');
            $table->decimal('total', 10, 2)->default(0);
            $table->enum('status', ['open', 'paid'])->default('open');
            $table->unsignedInteger('coupon_id')->nullable();
            $table->foreign('coupon_id')->references('id')->on('coupons');
            $table->morphs('origin');
            $table->timestamp('placed_at')->useCurrent();
            $table->timestamps();
            $table->softDeletes();
            $table->unique(['customer_id', 'number']);
            $table->index('placed_at');
        });
    }
    public function down(): void { Schema::drop('orders'); }
};
"""
CHANGES = """
    public function up(): void
    {
        if (DB::getDriverName() === 'sqlite') {
            Schema::drop('never');
        }
        if (Schema::hasTable('old')) {
            Schema::drop('old');
        }
        foreach (['users', 'teams'] as $name) {
            Schema::table($name, fn (Blueprint $table) => $table->boolean('active')->default(true)->after('id'));
        }
        Schema::table(self::TABLE, function (Blueprint $t) {
            $t->string('title', 100)->nullable()->change();
            $t->renameColumn('a', 'b');
            $t->dropColumn(['c', 'd']);
            $t->dropForeign(['e_id']);
            $t->dropForeign('audits_f_id_foreign');
            $t->dropConstrainedForeignId('g_id');
            $t->dropSoftDeletes();
            $this->more($t);
        });
        $dropped = function (Blueprint $table) { $table->dropColumn('restricted'); };
        Schema::table('posts', $dropped);
        Schema::rename('posts', 'articles');
        DB::statement('ALTER TABLE articles ADD COLUMN rank integer');
        DB::statement('UPDATE articles SET rank = 1');
        Schema::create(config('cache.table'), function (Blueprint $table) { $table->id(); });
    }
    private function more(Blueprint $blueprint): void { $blueprint->json('meta'); }
};
"""


def read(text: str, path: str = PATH) -> Facts:
    return read_code(text.encode(), language="php", path=path) or Facts()


def test_a_table_is_created_with_what_its_methods_say() -> None:
    found = read(HEAD + SHOP)
    assert show(found) == [
        "table orders",
        "  id bigint unsigned not null identity",
        "  customer_id bigint unsigned not null",
        "  seller_id bigint unsigned",
        "  warehouse_id bigint unsigned not null",
        "  token uuid not null",
        "  number varchar(40) not null -- shown to the customer",
        "  total decimal(10, 2) not null default 0",
        "  status enum not null default 'open' in (open, paid)",
        "  coupon_id integer unsigned",
        "  origin_type varchar(255) not null",
        "  origin_id bigint unsigned not null",
        "  placed_at timestamp not null default CURRENT_TIMESTAMP",
        "  created_at timestamp",
        "  updated_at timestamp",
        "  deleted_at timestamp",
        "  primary key id",
        "  key customer_id to customers (id)",
        "  key seller_id to users (id)",
        "  key warehouse_id to warehouses (id) = Warehouse",
        "  key coupon_id to coupons (id)",
        "constrain orders orders_token_unique unique token",
        "constrain orders orders_customer_id_number_unique unique customer_id, number",
    ]
    assert found.series == Series("laravel", version="2024_01_02_030405", name="2024_01_02_030405_shop")


def test_changes_are_read_in_their_order_and_what_is_computed_is_told() -> None:
    assert show(read(HEAD + CHANGES)) == [
        "drop table old",
        "add users: active boolean not null default true",
        "add teams: active boolean not null default true",
        "alter audits.title type='varchar(100)' nullable=True",
        "rename audits.a to b",
        "drop audits.c",
        "drop audits.d",
        "drop constraint audits of e_id",
        "drop constraint audits audits_f_id_foreign",
        "drop audits.g_id",
        "drop audits.deleted_at",
        "add audits: meta json not null",
        "drop posts.restricted",
        "rename posts to articles",
        "add articles: rank integer",
        "lost 34: computed at run time",
    ]


def test_indexes_alone_are_read_and_rows_alone_are_not() -> None:
    indexes = HEAD + "public function up() { Schema::table('a', fn (Blueprint $t) => $t->index('b')); } };"
    assert read(indexes).statements == 1
    assert (
        read_code((HEAD + "public function up() { DB::table('a')->delete(); } };").encode(), language="php", path=PATH)
        is None
    )


@pytest.mark.slow
def test_hostile_migrations_end() -> None:
    deep = "if (true) {" * 3_000 + "Schema::drop('a');" + "}" * 3_000
    circle = "$this->a();} private function a() { $this->b(); } private function b() { $this->a(); Schema::drop('x');"
    loops = "foreach ([1,2,3,4,5,6,7,8,9,10] as $x) {" * 12 + "Schema::drop('a');" + "}" * 12
    chain = "Schema::table('a', fn ($t) => $t->string('x')" + "->nullable()" * 5_000 + ");"
    for body in (deep, circle, loops, chain):
        read(HEAD + "public function up() {" + body + "} };")
