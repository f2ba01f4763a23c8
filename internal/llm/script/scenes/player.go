package scenes

import (
	"context"
	"iter"
	"slices"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/script"
)

// Player is a Provider that plays the replies of a scene to its prompt. It keeps no
// state: a reply depends on the conversation only, so that an interrupted scene or an
// additional request never shifts the replies of the next scene.
type Player struct {
	// Pause is the delay before each delta, so that users can watch.
	Pause time.Duration
	// Other answers the prompts that are not those of a scene.
	Other llm.Provider

	scenes []Scene
}

// NewPlayer returns a player of the scenes of the demo.
func NewPlayer(other llm.Provider) *Player { return &Player{Other: other, scenes: Scenes()} }

// Stream implements llm.Provider.
func (p *Player) Stream(ctx context.Context, req llm.Request) iter.Seq2[llm.Delta, error] {
	r, ok := p.next(req.Messages)
	if !ok {
		return p.Other.Stream(ctx, req)
	}
	one := script.New(r)
	one.Pause = p.Pause
	return one.Stream(ctx, req)
}

// next returns the next reply of the scene that msgs end with; false if they end with
// another prompt, or if the scene has no more replies.
func (p *Player) next(msgs []llm.Message) (script.Reply, bool) {
	for i, m := range slices.Backward(msgs) {
		scene := slices.IndexFunc(p.scenes, func(s Scene) bool { return m.Kind == llm.User && m.Text == s.Prompt })
		if scene < 0 {
			continue
		}
		replies := p.scenes[scene].Replies
		played, ok := replied(msgs[i+1:])
		if !ok || played >= len(replies) {
			return script.Reply{}, false
		}
		return replies[played], true
	}
	return script.Reply{}, false
}

// replied returns how many replies msgs contain; false if the user sent another message.
func replied(msgs []llm.Message) (n int, ok bool) {
	last := llm.Message{Kind: llm.User}
	for _, m := range msgs {
		switch m.Kind {
		case llm.User:
			if !m.Note {
				return 0, false
			}
		case llm.Assistant, llm.ToolCall:
			if m.Reply != last.Reply {
				n++
			}
		}
		last = m
	}
	return n, true
}
