/*
 * Jobs that run now or later.
 */
@file:JvmName("Jobs")

package com.example.jobs

import kotlin.time.Duration
import kotlinx.coroutines.delay as pause
import kotlinx.coroutines.flow.*

/** How often a job is tried. */
const val MAX_ATTEMPTS = 3
private val log by lazy { Logger.of("jobs – 仕事") }
var running: Int = 0
    private set
val square = { x: Int -> x * x }
val cube = fun(x: Int): Int { return x * x * x }

typealias Handler<T> = suspend (T) -> Unit

/**
 * A job with its options. Immutable.
 *
 * @property name shown to people
 */
@Serializable
@Deprecated("use Task", level = DeprecationLevel.WARNING)
data class Job<out T : Any>(
    val name: String,
    @Transient internal var attempts: Int = 0,
    priority: Int = 1,
) : Base<T>(name), Comparable<Job<*>>, Runner by DefaultRunner where T : Cloneable {
    /** When it began. */
    val startedAt = Clock.now()
    var state: State = State.WAITING
        get() = field
        set(value) {
            field = value
            notify(value)
        }
    lateinit var owner: Person

    init {
        require(priority > 0) { "priority must be positive" }
    }

    // For Java.
    @JvmOverloads
    constructor(name: String, tags: List<String>) : this(name, tags.size) {
        log.info(tags)
    }

    override fun compareTo(other: Job<*>): Int = attempts compareTo other.attempts

    /** Run it, again if it fails. */
    @Throws(JobException::class)
    override suspend fun <R> run(
        context: Context,
        onDone: (R) -> Unit,
    ): R where R : Any {
        fun again(left: Int): Boolean {
            return left > 0
        }
        val listener = object : Listener {
            override fun changed(event: Event) {
                onDone(event.result)
            }
        }
        return context.launch<R> { listener.changed(it) }
    }

    @Test fun first() = check(1)
    @Test fun `runs twice`() { check(2) }
    fun a() = 1; fun b() = 2

    inner class Step(val number: Int) {
        fun next() = Step(number + 1)
    }

    companion object {
        const val DEFAULT_NAME = "job"

        @JvmStatic
        fun <T : Any> of(block: () -> T): Job<T> = Job(DEFAULT_NAME, block)
    }
}

/** Where a job stands. */
enum class State(val label: String) : Labelled {
    /** Not begun. */
    WAITING("waiting") {
        override fun next() = RUNNING
    },
    @SerialName("run")
    RUNNING("running"),
    DONE("done");

    abstract fun next(): State

    val isLast: Boolean get() = this == DONE
}

enum class Color { RED, GREEN }

sealed interface Result<out T> {
    val ok: Boolean

    fun fold(
        onSuccess: (T) -> Unit,
        onFailure: () -> Unit,
    )

    data class Success<T>(val value: T) : Result<T>

    data object Failure : Result<Nothing>
}

fun interface Filter {
    operator fun invoke(job: Job<*>): Boolean
}

object Registry : Store {
    private val jobs = mutableMapOf<String, Job<*>>()

    @Synchronized
    operator fun get(name: String) = jobs[name]
}

@JvmInline
value class Id(val value: Long)

annotation class Scheduled(val cron: String)

class Factory {
    companion object Defaults : Settings {
        val size = 1
    }
}

/** Return the words of a text. */
fun String.words(): List<String> = split(' ').map(String::trim)
infix fun <T : Any> List<Job<T>>?.plus(other: Job<T>) = orEmpty() + other
val Job<*>.isFresh: Boolean
    get() = attempts == 0
expect fun currentThread(): String
internal inline fun <reified T> decode ( text :String )
    :T=Json.decodeFromString( text )

class JobSpec : FunSpec({
    test("runs a job") {
        Job("x").name shouldBe "x"
    }
    context("with a queue") {
        test("waits") { pause(1) }
    }
})

class WordSpec : StringSpec({
    "strings have a length" { "x".length shouldBe 1 }
})
