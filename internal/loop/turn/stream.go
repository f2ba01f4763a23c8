package turn

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"agent/internal/llm"
	"agent/internal/llm/text"
	"agent/internal/loop/event"
)

// partialEvery is the interval at which streamed text is saved.
const partialEvery = time.Second

// stream receives one reply from the provider: it emits each delta and a RequestDone,
// and saves the text every partialEvery.
func (q *requester) stream(ctx context.Context, m Model, req llm.Request) (*llm.Reply, error) {
	t := startTiming(m, req, q.out.clock.Now)
	reply, err := q.receive(ctx, m, req, &t)
	q.out.emit(t.end(reply, err))
	return reply, err
}

// receive is stream without the RequestDone.
func (q *requester) receive(ctx context.Context, m Model, req llm.Request, t *timing) (*llm.Reply, error) {
	reply := llm.NewReply("")
	reply.MaxBytes = q.limits.ReplyBytes
	save := saver{out: q.out, reply: reply.ID, last: t.done.Start}
	silence := cmp.Or(q.limits.Silence, 5*time.Minute)
	silent := time.AfterFunc(silence, func() {
		q.out.preview(event.Notice{Text: m.Name + " has sent nothing for " + silence.String() + ". The connection is still open."})
	})
	defer silent.Stop()
	var repeated repetition
	calling := len(req.Tools) > 0 && req.ToolChoice.Mode != llm.ChoiceNone
	show := &preview{open: !calling, show: func(d llm.Delta) {
		q.out.emit(event.Streamed{Reply: reply.ID, Delta: d})
		save.add(d)
	}}
	q.shown = show
	defer show.end()
	for d, err := range q.provider(m).Stream(ctx, req) {
		if err != nil {
			return reply, err
		}
		t.arrived()
		silent.Reset(silence)
		if d = reply.Add(d); d != nil {
			show.add(d)
			if err := repeated.add(d); err != nil {
				return reply, err
			}
		}
		if q.out.err != nil || reply.Exceeded() != "" { // returning cancels the request
			return reply, ctx.Err()
		}
	}
	if reply.Finish.Reason == "" && ctx.Err() == nil {
		provider, _, _ := strings.Cut(m.Name, "/")
		return reply, &llm.Error{Kind: llm.ErrCut, Provider: provider, Retry: true, Message: "the answer was cut off"}
	}
	return reply, ctx.Err()
}

// maxHeld limits the text that may be a printed call, in bytes.
const maxHeld = 256 << 10

// preview shows the deltas of a reply. It holds back text that may be a printed call until
// it is known not to be one: the finished message is then a call. run.read releases the text
// of a finished reply that stays text.
type preview struct {
	show func(llm.Delta)
	open bool // nothing is held back from now on
	text strings.Builder
	held []llm.Delta
}

func (p *preview) add(d llm.Delta) {
	t, isText := d.(llm.TextDelta)
	if isText && p.text.Len()+len(t.Text) > maxHeld {
		p.release()
	}
	if isText && !p.open {
		p.text.WriteString(t.Text)
		p.held = append(p.held, d)
		if !text.MayBePrinted(p.text.String()) {
			p.release()
		}
		return
	}
	switch d.(type) {
	case llm.CallDelta, llm.SearchDelta: // the reply is more than text
		p.release()
	}
	p.show(d)
}

// release shows what was held back.
func (p *preview) release() {
	p.open = true
	for _, d := range p.held {
		p.show(d)
	}
	p.held = nil
	p.text.Reset()
}

// end releases text that prints no call.
func (p *preview) end() {
	if text.Printed(p.text.String()) == nil {
		p.release()
	}
}

// saver writes streamed text to the log, at most once every partialEvery.
type saver struct {
	out    *reporter
	reply  string
	last   time.Time
	pieces []*unsavedPiece // one for each kind, oldest first
}

// unsavedPiece is text of one kind that was streamed since the last save.
type unsavedPiece struct {
	kind llm.Kind
	text strings.Builder
}

func (s *saver) add(d llm.Delta) {
	switch d := d.(type) {
	case llm.TextDelta:
		s.piece(llm.Assistant).WriteString(d.Text)
	case llm.ThinkingDelta:
		s.piece(llm.Thinking).WriteString(d.Text)
	default:
		return
	}
	if now := s.out.clock.Now(); now.Sub(s.last) >= partialEvery {
		s.last = now
		s.flush()
	}
}

// piece returns the unsaved text of a kind.
func (s *saver) piece(kind llm.Kind) *strings.Builder {
	i := slices.IndexFunc(s.pieces, func(p *unsavedPiece) bool { return p.kind == kind })
	if i < 0 {
		i = len(s.pieces)
		s.pieces = append(s.pieces, &unsavedPiece{kind: kind})
	}
	return &s.pieces[i].text
}

func (s *saver) flush() {
	for _, p := range s.pieces {
		if p.text.Len() > 0 {
			s.out.emit(&event.Partial{Meta: s.out.meta(), Reply: s.reply, Kind: p.kind, Text: p.text.String()})
		}
	}
	s.pieces = nil
}
