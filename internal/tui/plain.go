package tui

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/screen"
	"agent/internal/tui/terminal"
	"agent/internal/tui/transcript"
)

// Lines are what a person types where there is no screen, or what a file says
// in their place.
type Lines struct {
	C     <-chan string // without their ends; closed when there are no more
	Typed bool          // a person sees what they type, and is asked for it
	// Interrupts are the wishes to stop: a turn that runs, else the program.
	Interrupts <-chan struct{}
}

// teller tells of a session in lines that stay as they were written: for screen
// readers, logs and terminals that cannot do more. It has the same model as the
// screen behind it, of which nothing is drawn.
type teller struct {
	m   *model
	in  Lines
	out io.Writer

	came chan tea.Msg // what came of the model's commands
	busy int          // how many of them run

	marked bool // the line that one types on has begun
	ended  bool // there are no more lines
	asked  time.Time
	ending bool   // what the model adds is about the end of a turn
	listed int    // rows of the list that waits for a number, which were told
	sought string // part of a name, that the list was narrowed to just now

	said    string // of the message that streams, what came so far
	printed int    // bytes of it that are on lines of their own
	started map[string]bool
	mode    string // that was told last
}

// Plain shows the session as lines until the person leaves, the agent is gone,
// ctx ends or there are no more lines, none of which is an error. Of o, what is
// about keys and the terminal means nothing here; o.Output must be set.
func Plain(ctx context.Context, o screen.Options, in Lines) (screen.Exit, error) {
	all, stop := context.WithCancel(ctx)
	defer stop()
	commands, passed := make(chan event.Command), make(chan struct{})
	go func() {
		defer close(passed)
		relay(all, commands, o.Commands)
	}()
	o.Appearance.NoColor = true
	m := newModel(o, time.Now, func(c event.Command) {
		select {
		case commands <- c:
		case <-all.Done():
		}
	})
	m.lines = true
	m.slash.Front.Screen = nil
	m.After = func(time.Duration, tea.Msg) tea.Cmd { return nil } // nothing moves with time
	p := &teller{m: m, in: in, out: o.Output, came: make(chan tea.Msg), started: map[string]bool{}, mode: o.Session.Mode}
	p.run(ctx)
	p.endLine()
	close(commands)
	select {
	case <-passed:
	case <-time.After(terminal.Grace):
	}
	m.slash.SaveRecent()
	exit := m.next
	exit.Turns, exit.Jobs = m.Feed.Turns, transcript.Running(m.Feed.Jobs)
	exit.BaseURL, exit.Host = m.Feed.BaseURL, m.Feed.Host
	return exit, nil
}

// run deals with what comes until the end.
func (p *teller) run(ctx context.Context) {
	p.begin()
	p.do(ctx, p.update(tea.WindowSizeMsg{Width: plainWidth, Height: plainHeight}))
	for !p.m.Done {
		if p.busy == 0 { // all rows are there
			p.do(ctx, p.list())
		}
		p.mark()
		select {
		case ev, ok := <-p.m.Options.Events:
			if !ok {
				return
			}
			p.event(ev)
			_, p.ending = ev.(*event.TurnEnd)
			p.do(ctx, p.update(batch{ev}))
			p.ending = false
			if asked, ok := ev.(event.Asked); ok && p.m.dialog.Count() == 1 {
				p.ask(asked.Ask)
			}
		case line, ok := <-p.lines():
			p.marked = p.marked && !ok
			if ok {
				p.do(ctx, p.line(line))
			} else {
				p.ended = true
			}
		case msg := <-p.came:
			p.done(ctx, msg)
		case <-p.in.Interrupts:
			p.interrupt()
		case <-ctx.Done():
			return
		}
		if p.ended {
			p.nobody()
		}
	}
}

// The window that the model behind believes to have: its width is that of what
// it lists.
const (
	plainWidth  = 100
	plainHeight = 1000
)

// do runs cmd beside the loop, which gets what comes of it.
func (p *teller) do(ctx context.Context, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	p.busy++
	go func() {
		select {
		case p.came <- cmd():
		case <-ctx.Done():
		}
	}()
}

// done deals with what came of a command.
func (p *teller) done(ctx context.Context, msg tea.Msg) {
	p.busy--
	if many, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range many {
			p.do(ctx, cmd)
		}
		return
	}
	if msg != nil {
		p.do(ctx, p.update(msg))
	}
}

// update hands msg to the model.
func (p *teller) update(msg tea.Msg) tea.Cmd {
	_, cmd := p.m.Update(msg)
	if p.m.layers.Has(p.m.help) {
		p.m.layers.Remove(p.m.help)
		p.help()
	}
	return cmd
}

// lines are where the next line comes from. Those of a file wait for the end of
// a turn, unless it has a question, for what a list is to have, and until the
// past of the session is known.
func (p *teller) lines() <-chan string {
	working := p.m.Busy() && !p.m.dialog.Waits() || p.m.lists.over != nil && p.busy > 0 || !p.m.Transcript.Settled
	if p.ended || !p.in.Typed && working {
		return nil
	}
	return p.in.C
}

// line deals with a line.
func (p *teller) line(line string) tea.Cmd {
	line = strings.TrimSpace(line)
	if p.m.dialog.Waits() {
		if !p.in.Typed || p.m.Now().Sub(p.asked) >= dialog.Quiet {
			p.answer(line)
			return nil
		}
		p.asked = p.m.Now() // an answer follows a pause without another line
		if yesOrNo(line) != 0 || isNumber(line) {
			p.print("note: this line came too soon to answer the question, so it is a message")
		}
	}
	switch {
	case p.chooses(line):
		return p.choose(line)
	case line != "":
		p.m.lists.Close()
		p.listed = 0
		p.m.editor.Set(line)
		return p.update(tea.KeyPressMsg{Code: tea.KeyEnter})
	}
	return nil
}

// nobody deals with a session whose lines are at an end: what waits for an
// answer is refused, and the end of the turn is that of the session.
func (p *teller) nobody() {
	for p.m.dialog.Waits() {
		p.reply(event.Answer{Decision: event.Refuse, Note: "nobody is here to answer"})
	}
	if !p.m.Busy() && !p.m.prompt.Queue.Starting && len(p.m.Feed.Pending) == 0 && p.busy == 0 && p.sought == "" {
		p.m.Done = true
	}
}

// interrupt stops the turn, or leaves.
func (p *teller) interrupt() {
	now := p.m.Now()
	switch {
	case p.m.Busy():
		p.m.interrupt()
	case p.m.prompt.Leaving() || !p.in.Typed:
		p.m.Done = true
	default:
		p.m.prompt.Warned = now
		p.print("note: once more leaves")
	}
}

// mark begins the line that one types on, when it is one's turn.
func (p *teller) mark() {
	reads := p.m.lists.over != nil && p.busy > 0 // what there is to choose from
	if p.in.Typed && !p.marked && !p.ended && !reads && (!p.m.Feed.Running || p.m.dialog.Waits()) {
		fmt.Fprint(p.out, "> ")
		p.marked = true
	}
}

// print writes a line.
func (p *teller) print(line string) {
	p.endLine()
	fmt.Fprintln(p.out, strings.TrimRight(p.m.Styles.Letters.Write(line), " "))
}

// block writes text that may have several lines, the first of them behind what
// says whose they are. None of the others can be taken for a line of ours.
func (p *teller) block(who, text string) {
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i == 0 && who != "" {
			p.print(who + ": " + l)
		} else {
			p.print("  " + l)
		}
	}
}

// endLine ends the line that one types on.
func (p *teller) endLine() {
	if p.marked {
		fmt.Fprintln(p.out)
		p.marked = false
	}
}
