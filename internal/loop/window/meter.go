package window

import "agent/internal/llm"

// Meter measures how many tokens of its window a conversation uses. The zero value
// has measured nothing.
type Meter struct {
	tokens   int // as counted by the provider
	estimate int // our own
	msgs     int // number of first messages that both cover
}

// Of estimates how many tokens msgs use: the provider's count for the first of them,
// and an estimate for the others.
func (m Meter) Of(msgs []llm.Message) int {
	if m.msgs > len(msgs) {
		return Tokens(msgs)
	}
	return m.tokens + Tokens(msgs[m.msgs:])
}

// Measured returns a meter that covers all of msgs, with the estimate of Of.
func (m Meter) Measured(msgs []llm.Message) Meter {
	return Meter{m.Of(msgs), m.estimated(msgs), len(msgs)}
}

// Counted returns a meter with the provider's count for a reply, which ends msgs, or
// with the estimate if that is larger: a server that truncates the prompt counts only
// what is left. It returns m if the provider counts nothing.
func (m Meter) Counted(u llm.Usage, msgs []llm.Message) Meter {
	if u.Input == 0 {
		return m
	}
	estimate := m.estimated(msgs)
	return Meter{max(u.Input+u.Output, estimate), estimate, len(msgs)}
}

// estimated is Tokens, without the messages that m covers.
func (m Meter) estimated(msgs []llm.Message) int {
	if m.msgs > len(msgs) {
		return Tokens(msgs)
	}
	return m.estimate + Tokens(msgs[m.msgs:])
}

// After returns a meter for after, the result of a compaction of before that saved
// so many tokens.
func (m Meter) After(before []llm.Message, saved int, after []llm.Message) Meter {
	return Meter{max(m.Of(before)-saved, 0), Tokens(after), len(after)}
}

// saved estimates how many tokens after uses less than before, scaled to the
// provider's count.
func (m Meter) saved(before, after []llm.Message) int {
	all := Tokens(before)
	saved := all - Tokens(after)
	if m.msgs > 0 && all > 0 {
		used := min(max(m.Of(before), all/2), all*3/2) // beyond that the provider counts more than text
		saved = int(float64(saved) * float64(used) / float64(all))
	}
	return saved
}

// Tokens estimates how many tokens of a window a conversation uses.
func Tokens(msgs []llm.Message) int {
	const perImage = 1500
	bytes, images := 0, 0
	for _, m := range msgs {
		bytes += len(m.Text) + len(m.Input) + len(m.Raw) + len(m.Name) + len(m.ID)
		if m.Opaque != nil {
			bytes += len(m.Opaque.Data)
		}
		images += len(m.Images)
	}
	return bytes/4 + perImage*images
}
