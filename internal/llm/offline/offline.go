// Package offline is the model that answers when no other is connected: a
// Provider that follows simple requests by rules.
//
// It is not a language model and says so. It is deterministic: the same request
// gives the same reply, byte for byte, including the IDs of its calls. It keeps
// no state, because all it needs is in the request's messages, and it acts only
// through the request's tools. Every reply ends in a Finish unless the context
// ends first. Start reading at rules.
package offline

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"agent/internal/llm"
)

// Name is the model's name with its provider.
const Name = "offline/guide"

// The guide's texts about itself. The first answer of a conversation begins with intro
// and ends with connect.
const (
	intro   = "I am the built-in offline guide: not a language model, only a few rules."
	connect = "To connect a model, type `/connect`."
)

const (
	callPrefix = "guide_" // of the IDs of the guide's calls
	maxPieces  = 300      // deltas of one text; limits its duration
)

// Provider is the offline guide. See New.
type Provider struct {
	// Pause is the time before each delta, so that users can read along.
	Pause time.Duration

	rules func() []rule // compiled on the first prompt
}

// New returns a guide with a readable typing speed.
func New() *Provider {
	return &Provider{Pause: 5 * time.Millisecond, rules: sync.OnceValue(rules)}
}

// Stream answers the user's last prompt. See llm.Provider.
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

// wait waits for Pause, or until ctx ends.
func (p *Provider) wait(ctx context.Context) error {
	if ctx.Err() == nil {
		select {
		case <-time.After(p.Pause):
		case <-ctx.Done():
		}
	}
	if err := ctx.Err(); err != nil {
		return &llm.Error{Kind: llm.ErrCanceled, Provider: "offline", Err: err}
	}
	return nil
}

// reply is one complete answer: text, then at most one call.
type reply struct {
	text string
	call *call
}

// reply returns the answer to req.
func (p *Provider) reply(req llm.Request) reply {
	t := newTurn(req)
	request, more := parse(p.rules(), t.prompt)
	report := t.perform(request)
	var says []string
	if !mentioned(req.Messages, intro) {
		says = append(says, intro)
	}
	if t.next != nil {
		return reply{text: strings.Join(says, " "), call: t.next}
	}
	says = append(says, report)
	if more {
		says = append(says, "I only follow the first line of a prompt. The rest was ignored.")
	}
	text := strings.Join(says, "\n\n")
	if !strings.Contains(text, connect[:len(connect)-1]) && !mentioned(req.Messages, connect[:len(connect)-1]) {
		text += "\n\n" + connect
	}
	return reply{text: text}
}

// mentioned reports whether an answer in the conversation contains sentence.
func mentioned(msgs []llm.Message, sentence string) bool {
	for _, m := range msgs {
		if m.Kind == llm.Assistant && strings.Contains(m.Text, sentence) {
			return true
		}
	}
	return false
}

// deltas returns the deltas of r.
func deltas(r reply, req llm.Request) []llm.Delta {
	var out []llm.Delta
	index := 0
	if r.text != "" {
		words := strings.SplitAfter(r.text, " ")
		for piece := range slices.Chunk(words, len(words)/maxPieces+1) {
			out = append(out, llm.TextDelta{Index: index, Text: strings.Join(piece, "")})
		}
		out = append(out, llm.BlockEnd{Index: index})
		index++
	}
	reason := llm.Stop
	if c := r.call; c != nil {
		reason = llm.Calls
		out = append(out, llm.CallDelta{Index: index, ID: callPrefix + idOf(req.Messages), Name: c.tool, Args: c.args}, llm.BlockEnd{Index: index})
	}
	return append(out, llm.Finish{Reason: reason, Raw: string(reason)})
}

// idOf returns an ID for the state of a conversation: always the same for one
// state, and different at each step.
func idOf(msgs []llm.Message) string {
	h := sha256.New()
	_ = json.NewEncoder(h).Encode(msgs) // a hash cannot fail to write
	return hex.EncodeToString(h.Sum(nil))[:10]
}
