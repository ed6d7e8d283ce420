/*
 * A ring buffer of log records, shared by writers and one reader.
 *
 * Records are copied in; nothing is allocated after ring_open().
 */
#include <stdint.h>
#include <string.h>
#include "ring.h"

#define RING_SLOTS 64
#define RING_MASK(n) ((n) & (RING_SLOTS - 1))
#define for_each_record(ring, pos) \
	for ((pos) = (ring)->tail; (pos) != (ring)->head; (pos)++)
#define RING_DEBUG

/** How urgent a record is. */
enum severity { SEV_DEBUG, SEV_INFO = 10, SEV_ERROR };

typedef unsigned long long ticks_t;
typedef int (*record_filter)(const struct record *rec, void *arg);
typedef char stamp_t[32];
typedef struct opaque_state opaque_state;

/// One message: the text is not zero-terminated.
typedef struct record {
	ticks_t when, *stamps; /* since boot */
	enum severity severity;
	/* bytes used of text */
	uint16_t length;
	char text[240];
	unsigned urgent : 1, sticky : 1;
	union {
		int fd;
		void *handle;
	} origin;
	int (*release)(struct record *self);
} record;

typedef struct _ring { record slots[RING_SLOTS]; uint32_t head, tail; } ring_t, *ring_ptr;
typedef enum { MODE_DROP, MODE_WAIT } ring_mode;
struct pair { int a; int b; }; struct empty { };

static ring_t the_ring;
static const char *const names[] = { "debug", "info", "error" };
int (*on_overflow)(ring_t *ring) = 0;
extern int verbosity;
static DEFINE_SPINLOCK(ring_lock);
DEFINE_MUTEX(open_lock);
static struct pair limits = {
	.a = 1,
	.b = RING_SLOTS,
};

static int hidden_prototype(int a);

/**
 * ring_open - make a ring ready
 * @ring: where it lives
 *
 * Return: 0, or a negative error.
 */
int ring_open(ring_t *ring);

// Counts what is waiting — „größer“ is not special.
static inline __attribute__((unused)) uint32_t
ring_used(const ring_t *ring)
{
	return ring->head - ring->tail;
}

/* Finds the oldest record
   that a filter accepts. */
struct record *ring_find(ring_t *ring, record_filter filter, void *arg)
{
	uint32_t pos;
	struct cursor { int seen; } cursor = { 0 };

	for_each_record(ring, pos) {
		record *rec = &ring->slots[RING_MASK(pos)];
		if (filter(rec, arg) && rec->release(rec))
			return rec;
	}
	return memchr("résumé", cursor.seen, 3);
}

char **ring_lines(void) { return 0; } int ring_close(ring_t *ring) { return on_overflow(ring); }

/* K&R style, as old code has it. */
int old_style(a, b)
	int a;
	char *b;
{
	return a + strlen(b);
}

int (*pick_filter(int which))(const record *, void *) { return 0; }

static int __init ring_init(void)
{
	printk("ring: %d slots\n", RING_SLOTS);
	return 0;
}
module_init(ring_init);

/*
 * Reads one record into user space.
 */
SYSCALL_DEFINE3(ring_read, int, fd, char __user *, buffer,
		size_t, count)
{
	return copy_to_user(buffer, the_ring.slots, count);
}

SYSCALL_DEFINE0(ring_sync)
{
	return 0;
}

#ifdef CONFIG_BPF
BPF_CALL_2(bpf_ring_push, void *, data, u64, size)
{
	return ring_open(data);
}
static int bpf_users;
#endif

TEST_F(ring, wraps_around)
{
	ASSERT_EQ(ring_used(&the_ring), 0);
}

  PUBLIC   int    odd_layout (
	int a ,
	int b
  )
  {  return   a
	+ b ; }
