/*
 * Copyright 2024 The Authors. Licensed under the MIT licence.
 */
package com.example.store;

import java.util.*;
import java.util.function.Function;
import static java.util.Objects.requireNonNull;

/**
 * A store that keeps its {@link Entry entries} in memory. Safe for use by many threads.
 *
 * @param <K> the type of the keys
 */
@SuppressWarnings({"unchecked", "rawtypes"})
@Service
public final class MemoryStore<K extends Comparable<K>, V> extends AbstractStore<K, V> implements Store<K>, AutoCloseable {
    /** Largest number of entries. */
    public static final int MAX_ENTRIES = 1_000, MIN_ENTRIES = 1;
    final static String GREETING = "Grüße – 你好"; // a comment behind
    private static final Comparator<Entry<?>> BY_AGE = (a, b) -> Long.compare(a.age(), b.age());

    private final Map<K, List<V>> entries = new HashMap<>();
    int hits, misses[];
    @Inject
    @Named("clock")
    protected volatile Clock clock;

    static {
        register(MemoryStore.class);
    }

    {
        hits = 0;
    }

    // Tests give their own clock.
    MemoryStore(Clock clock) {
        super(requireNonNull(clock));
        this.clock = clock;
    }

    public MemoryStore() { this(new Clock.System()); }

    /**
     * Return the value of a key, or load it.
     *
     * @param key    what to look for
     * @param loader called when it is missing
     */
    @Override
    @Nullable
    public <R extends V> V get(
            final K key,
            @NonNull Function<? super K, ? extends R> loader) throws StoreException, InterruptedException {
        Runnable onMiss = () -> misses[0]++;
        class Counter { int count; void add() { count++; } }
        V value = entries.getOrDefault(key, List.of()).stream().map(Objects::requireNonNull).findFirst().orElse(null);
        if (value == null) {
            onMiss.run();
            return new Loader<K, R>(loader) {
                private int attempts;

                @Override
                public R load(K k) { return loader.apply(k); }
            }.load(key);
        }
        return value;
    }

    public V get(K key) { return get(key, k -> null); }
    @Override public void close() { entries.clear(); }
    @Deprecated void flush() {} /** Reset. */ synchronized void reset() {}
    native long address();

    /** What is stored; never changes. */
    public record Entry<T>(String key, @Nullable T value, long... ages) implements Comparable<Entry<T>> {
        static int created = 0;

        /** Check the key. */
        public Entry {
            requireNonNull(key);
        }

        Entry(String key) { this(key, null); }

        long age() { return ages[0]; }
    }

    /** How the store behaves when it is full. */
    enum Eviction implements Supplier<String> {
        /** The oldest goes first. */
        OLDEST("oldest") {
            @Override public int order() { return -1; }
        },
        @Deprecated NEWEST, NONE;

        private final String label;
        Eviction(String... labels) { this.label = labels.length > 0 ? labels[0] : name(); }
        public int order() { return 0; }
        public String get() { return label; }
    }

    @Retention(RetentionPolicy.RUNTIME)
    public @interface Cached {
        int seconds() default 60;
        String[] names() default {};
    }
}

/// A listener, documented in Markdown.
/// Called after every change.
@FunctionalInterface
sealed interface Listener<E> permits Printer, Recorder {
    int PRIORITY = 5;
    String NAME = "listener";

    void changed(E event);

    /** Tell whether two listeners are one. */
    @CheckReturnValue
    boolean same(
        Listener<E> other,
        int depth);

    default Listener<E> then(Listener<E> next) { return Listener.of(this::changed, next); }
    static <T> Listener<T> of(Object... parts) { return new com.example.Composite<>(parts); }
}

non-sealed class Printer<E>implements Listener<E>{public void changed(E e){System.out.println(e);}
        public boolean same ( Listener<E> o , int d )
        {
            return switch (o) { case Printer<E> p when d > 0 -> check(p); default -> false; };
        }
    @Test void prints_a_text_block() { assertEquals("""
        class NotAClass { void notAMethod() {} }
        """, new Printer<String>().toString()); }
}
