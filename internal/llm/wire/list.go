package wire

import (
	"iter"

	"agent/internal/llm"
)

// List holds the items of a request that encode its messages. A dialect adds the items of the
// Groups, and those before the messages if the list is empty.
type List[T any] struct {
	key   any
	msgs  []llm.Message
	items []T
	text  []byte // of the first items, with a comma after each
	ends  []int  // offset in text after each of them
	cuts  []cut
	marks []int // in ascending order
	// held is set if items depend on messages after their group, unresolved if they do so
	// forever.
	held, unresolved bool
}

// cut is a place between two groups: the items before it depend only on the messages before it.
type cut struct{ msgs, items int }

// resume prepares l for a request with msgs, of which l shares the first ones. It keeps the items
// of whole groups.
func (l *List[T]) resume(msgs []llm.Message, shared int) {
	clear(l.msgs[shared:])
	l.msgs = append(l.msgs[:shared], msgs[shared:]...)
	n := len(l.cuts)
	for n > 0 && (l.cuts[n-1].msgs > shared || !llm.GroupEnds(msgs, l.cuts[n-1].msgs)) {
		n--
	}
	l.cuts, l.marks, l.held, l.unresolved = l.cuts[:n], nil, false, false
	l.shorten(l.last().items)
}

// last returns the last cut; the beginning if there is none.
func (l *List[T]) last() cut {
	if n := len(l.cuts); n > 0 {
		return l.cuts[n-1]
	}
	return cut{}
}

// shorten drops all but the first n items.
func (l *List[T]) shorten(n int) {
	clear(l.items[n:])
	l.items, l.ends = l.items[:n], l.ends[:min(n, len(l.ends))]
	l.text = l.text[:l.start(len(l.ends))]
}

// start returns the offset in text of an item.
func (l *List[T]) start(i int) int {
	if i == 0 {
		return 0
	}
	return l.ends[i-1]
}

// Groups yields the groups of llm.ByReply whose items are missing.
func (l *List[T]) Groups() iter.Seq[[]llm.Message] {
	return func(yield func([]llm.Message) bool) {
		from := l.last().msgs
		for i, group := range llm.ByReply(l.msgs[from:]) {
			if !yield(group) {
				return
			}
			if !l.held && !l.unresolved {
				l.cuts = append(l.cuts, cut{from + i + len(group), len(l.items)})
			}
		}
	}
}

// Result returns the first result of a call in its group, or else in all messages; nil if there is
// none.
func (l *List[T]) Result(group []llm.Message, call string) *llm.Message {
	if r := llm.Result(group, call); r != nil {
		return r
	}
	l.unresolved = true
	return llm.Result(l.msgs, call)
}

// Hold sets whether the items that were added last depend on messages after their group.
func (l *List[T]) Hold(hold bool) { l.held = hold }

// Items returns all items. The caller must not change them.
func (l *List[T]) Items() []T { return l.items }

// Add adds an item.
func (l *List[T]) Add(item T) { l.items = append(l.items, item) }

// Replace replaces the last item.
func (l *List[T]) Replace(item T) {
	n := len(l.items) - 1
	for l.last().items > n {
		l.cuts = l.cuts[:len(l.cuts)-1]
	}
	l.shorten(n)
	l.Add(item)
}

// Mark sets a cache mark on item i of this request. Those of earlier items come first.
func (l *List[T]) Mark(i int) { l.marks = append(l.marks, i) }
