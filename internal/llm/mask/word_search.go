package mask

// words finds many words in a text in one pass, ignoring the case of ASCII letters. It
// is an Aho-Corasick automaton with a complete transition table. It is immutable.
type words struct {
	class   [256]uint8 // of a byte; 0 for bytes in no word
	classes int
	next    []int32   // state*classes + class
	ends    [][]int32 // numbers of the words that end in a state
}

func newWords(all []string) *words {
	w := &words{classes: 1}
	for _, word := range all {
		for i := range len(word) {
			if c := lower(word[i]); w.class[c] == 0 {
				w.class[c] = uint8(w.classes)
				w.classes++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		w.class[c] = w.class[lower(byte(c))]
	}
	states := 1
	for _, word := range all {
		states += len(word)
	}
	w.next, w.ends = make([]int32, 0, states*w.classes), make([][]int32, 0, states)
	w.addState()
	for n, word := range all {
		state := int32(0)
		for i := range len(word) {
			at := int(state)*w.classes + int(w.class[word[i]])
			if w.next[at] == 0 {
				w.next[at] = int32(len(w.ends))
				w.addState()
			}
			state = w.next[at]
		}
		w.ends[state] = append(w.ends[state], int32(n))
	}
	w.complete()
	return w
}

func (w *words) addState() {
	w.next = w.next[:len(w.next)+w.classes] // zero
	w.ends = append(w.ends, nil)
}

// complete adds the transitions after a mismatch, in order of depth.
func (w *words) complete() {
	fallback := make([]int32, len(w.ends))
	var queue []int32
	for _, state := range w.next[:w.classes] {
		if state != 0 {
			queue = append(queue, state)
		}
	}
	for ; len(queue) > 0; queue = queue[1:] {
		state := int(queue[0])
		back := int(fallback[state])
		w.ends[state] = append(w.ends[state], w.ends[back]...)
		for c := range w.classes {
			to, other := &w.next[state*w.classes+c], w.next[back*w.classes+c]
			if *to == 0 {
				*to = other
				continue
			}
			fallback[*to] = other
			queue = append(queue, *to)
		}
	}
}

// find calls found with the number of each word in s and the position after it.
func (w *words) find(s string, found func(word, end int)) {
	state := int32(0)
	for i := range len(s) {
		state = w.next[int(state)*w.classes+int(w.class[s[i]])]
		for _, n := range w.ends[state] {
			found(int(n), i+1)
		}
	}
}

func lower(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}
