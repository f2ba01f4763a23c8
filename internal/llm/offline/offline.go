// Package offline is the model that answers when no other is connected: a
// Provider that follows simple requests by rules.
//
// It is no language model and says so. It is deterministic: the same request
// gives the same reply, byte for byte, the ids of its calls included. It keeps
// no state, since all it goes by is in the request's messages, and it touches
// nothing itself, since what it does it does through the request's tools. Every
// reply ends in a Finish unless the context ends first.
package offline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
)

// Name is the model's name with its provider.
const Name = "offline/guide"

// What the guide says of itself. The first line of a conversation is intro, the
// last line of an answer connect once and connectShort from then on.
const (
	intro        = "I am the built-in offline guide: no language model, only a few rules."
	connect      = "To connect a real model: `agent login PROVIDER`, or set its key (`OPENAI_API_KEY`, `ANTHROPIC_API_KEY`, …), or start Ollama, which is found by itself."
	connectShort = "For a real model: `agent login PROVIDER`."
)

const (
	callPiece = 24  // bytes of a call's arguments in one delta
	maxPieces = 300 // deltas of one text, so that a long one does not take long
)

// Provider is the offline guide. See New.
type Provider struct {
	// Pause is waited for before each delta, so that people can read along.
	Pause time.Duration

	grammar func() *grammar // compiled when it is first needed
}

// New returns a guide that streams at a pleasant speed.
func New() *Provider {
	return &Provider{Pause: 5 * time.Millisecond, grammar: sync.OnceValue(newGrammar)}
}

// Stream answers the last thing that the person said. See llm.Provider.
func (p *Provider) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	return func(yield func(llm.Delta, error) bool) {
		for _, d := range deltas(p.reply(req), req) {
			if err := p.wait(ctx); err != nil {
				yield(nil, err)
				return
			}
			if !yield(d, nil) {
				return
			}
		}
	}
}

// wait holds a delta back for the pause.
func (p *Provider) wait(ctx context.Context) error {
	if p.Pause > 0 {
		t := time.NewTimer(p.Pause)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return &llm.Error{Kind: llm.ErrCanceled, Provider: "offline", Err: err}
	}
	return nil
}

// reply is one whole answer: what is said, then what is called.
type reply struct {
	text  string
	calls []call
}

// reply works out the answer to req.
func (p *Provider) reply(req llm.Request) reply {
	prompt := parse(p.grammar(), lastPrompt(req.Messages))
	t := newTurn(req)
	reports, waiting := t.play(prompt.requests)
	var says []string
	if !said(req.Messages, intro) {
		says = append(says, intro)
	}
	if waiting {
		if t.saying != "" {
			says = append(says, t.saying)
		}
		return reply{text: strings.Join(says, " "), calls: t.wanted}
	}
	says = append(says, reports...)
	if prompt.material {
		says = append(says, fmt.Sprintf("I took requests from the first paragraph only, %d at most, and left the rest alone.", maxRequests))
	}
	if said(req.Messages, connect) {
		says = append(says, connectShort)
	} else {
		says = append(says, connect)
	}
	return reply{text: strings.Join(says, "\n\n")}
}

// said reports whether the conversation holds an answer with that sentence.
func said(msgs []llm.Message, sentence string) bool {
	for _, m := range msgs {
		if m.Kind == llm.Assistant && strings.Contains(m.Text, sentence) {
			return true
		}
	}
	return false
}

// lastPrompt is what the person said last.
func lastPrompt(msgs []llm.Message) string {
	for i := len(msgs) - 1; i >= 0; i-- {
		if msgs[i].Kind == llm.User {
			return msgs[i].Text
		}
	}
	return ""
}

// deltas cuts r into what is streamed.
func deltas(r reply, req llm.Request) []llm.Delta {
	var out []llm.Delta
	index := 0
	if r.text != "" {
		for _, s := range pieces(r.text) {
			out = append(out, llm.TextDelta{Index: index, Text: s})
		}
		out = append(out, llm.BlockEnd{Index: index})
		index++
	}
	id := idOf(req.Messages)
	size := len(r.text)
	for i, c := range r.calls {
		out = append(out, llm.CallDelta{Index: index, ID: "guide_" + id + "_" + strconv.Itoa(i+1), Name: c.tool})
		for _, s := range slicesOf(c.args, callPiece) {
			out = append(out, llm.CallDelta{Index: index, Args: s})
		}
		out = append(out, llm.BlockEnd{Index: index})
		index++
		size += len(c.tool) + len(c.args)
	}
	reason := llm.Stop
	if len(r.calls) > 0 {
		reason = llm.Calls
	}
	return append(out, llm.Finish{Reason: reason, Raw: string(reason), Usage: llm.Usage{Input: tokens(inputSize(req)), Output: tokens(size)}})
}

// pieces cuts text after its spaces into at most maxPieces.
func pieces(text string) []string {
	words := strings.SplitAfter(text, " ")
	n := len(words)/maxPieces + 1
	var out []string
	for len(words) > 0 {
		k := min(n, len(words))
		out = append(out, strings.Join(words[:k], ""))
		words = words[k:]
	}
	return out
}

// slicesOf cuts s into pieces of about n bytes, between runes.
func slicesOf(s string, n int) []string {
	var out []string
	start := 0
	for i := range s {
		if i-start >= n {
			out = append(out, s[start:i])
			start = i
		}
	}
	return append(out, s[start:])
}

// idOf names the state of a conversation, so that a call's id is the same each
// time and yet unlike those of other steps.
func idOf(msgs []llm.Message) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(msgs) // a hash takes all, and what cannot be encoded only makes ids less unlike
	return hex.EncodeToString(h.Sum(nil))[:10]
}

// inputSize is the size of all that req tells, in bytes.
func inputSize(req llm.Request) int {
	n := len(req.System)
	for _, m := range req.Messages {
		n += len(m.Text) + len(m.Name) + len(m.Input)
	}
	for _, t := range req.Tools {
		n += len(t.Name) + len(t.Description) + len(t.Schema)
	}
	return n
}

// tokens estimates how many tokens that many bytes are.
func tokens(bytes int) int { return (bytes + 3) / 4 }
