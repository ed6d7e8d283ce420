package org.example.notes.data

import androidx.room.*

/** A note that somebody wrote. */
@Entity(
    tableName = "notes",
    foreignKeys = [ForeignKey(entity = Folder::class, parentColumns = ["id"], childColumns = ["folder_id"])],
    indices = [Index(value = ["slug"], unique = true), Index("folder_id")],
)
data class Note(
    @PrimaryKey(autoGenerate = true) val id: Long = 0,
    val slug: String,
    @ColumnInfo(name = "created_at", defaultValue = "0") val createdAt: Long, // in milliseconds
    @ColumnInfo(name = "folder_id") val folderId: Long?,
    val state: State = State.OPEN,
    val tags: List<String> = emptyList(),
    @Embedded(prefix = "place_") val place: Place?,
    @Embedded val weather: Weather,
    @Ignore val shown: Boolean = false,
) : Stamped() {
    val length: Int get() = slug.length

    companion object {
        const val MAX = 3
    }
}

enum class State { OPEN, CLOSED }

data class Place(val latitude: Double, @ColumnInfo(name = "lon") val longitude: Double)

@Entity
class Folder(@PrimaryKey val id: Long, val name: String)

@Entity(primaryKeys = ["noteId", "name"])
data class NoteLabel(val noteId: Long, val name: String)

// No table: what a query gives.
data class FolderWithNotes(
    @Embedded val folder: Folder,
    @Relation(parentColumn = "id", entityColumn = "folder_id") val notes: List<Note>,
)

@Dao
interface NoteDao {
    @Query("SELECT slug FROM notes WHERE folder_id = :folder ORDER BY created_at")
    fun slugs(folder: Long): List<String>
}
