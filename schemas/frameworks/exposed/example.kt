package app

import org.jetbrains.exposed.dao.id.IntIdTable
import org.jetbrains.exposed.sql.Table
import org.jetbrains.exposed.sql.insert

/** Somebody who signs in. */
object Users : IntIdTable("users", "user_id") {
    val name = varchar("name", 50).uniqueIndex()
    val city: Column<Int?> = optReference("city_id", Cities)
    val boss = reference("boss", Users).nullable()
    val balance = decimal("balance", 12, 2).default(0)
    val notes = compressed("notes").nullable()

    init {
        uniqueIndex(name, city)
    }
}

object Cities : Table() {
    val id = integer("id").autoIncrement()
    val title = text("title") // as shown
    val country = char("country", 2)

    override val primaryKey = PrimaryKey(id)
}

object Visits : Table("app.visits") {
    val user = integer("user_id").references(Users.id)
    val day = long("day")

    override val primaryKey = PrimaryKey(user, day, name = "pk_visits")
}

object NotATable {
    val name = "x"
}

fun find(name: String) =
    Users.innerJoin(Cities)
        .select(Users.name, Cities.title)
        .where { Users.name eq name }
        .orderBy(Users.balance)
        .map { it[Users.name] to it[Cities.title] }

fun all() = Users.selectAll().toList()

fun add(person: String) {
    Users.insert {
        it[name] = person
        it[Users.balance] = 1
    }
    Users.update({ Users.id eq 1 }) { it[name] = person }
    Visits.deleteWhere { Visits.day less 3 }
}
