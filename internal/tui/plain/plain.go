// Package plain is plain mode: it prints a session as lines of text without cursor
// movement, for screen readers, logs and simple terminals. It takes the same events
// and runs the same commands as the screen. Start reading at Show.
package plain

import (
	"context"
	"os/exec"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/dialog"
	"agent/internal/tui/editor"
	"agent/internal/tui/ink"
	"agent/internal/tui/list"
	"agent/internal/tui/prompt"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/terminal"
	"agent/internal/tui/transcript"
)

// Lines are the lines of standard input.
type Lines struct {
	C     <-chan string // without line ends; closed at the end of the input
	Typed bool          // the user types them, each at a prompt
	// Next requests a line and blocks while one is requested. Without a request, the
	// user's editor can read the terminal. Nil if lines come without a request.
	Next chan<- struct{}
	// Hide stops the terminal from showing what the user types, until show is called. Nil
	// if the lines do not come from a terminal.
	Hide func() (show func())
	// Interrupts are requests to interrupt the turn, or to quit if none runs.
	Interrupts <-chan struct{}
}

// front is the front end of plain mode. It prints events, and takes lines as prompts,
// commands and answers.
type front struct {
	*output
	session   *screen.Conversation
	printer   *printer
	dialog    *dialog.Dialog // the questions that wait
	questions *questions
	prompt    *prompt.Prompt
	editor    *editor.Editor // of the prompt
	slash     *slash.Session
	lists     *openList
	exit      screen.Exit // the result of Show

	in         Lines
	results    chan tea.Msg // of commands that ran in the background
	background int          // number of these commands that run
	show       func()       // shows what the user types again; nil if it is not hidden
	inputEnded bool         // there are no more lines
	awaited    awaited
}

// The size of the screen for which lines and lists are laid out.
const (
	width  = 100
	height = 1000
)

// Show prints the session until the user quits, o.Events is closed, ctx ends or the
// input ends. None of these is an error. It ignores the keys and the terminal in o;
// o.Output must be set.
func Show(ctx context.Context, o screen.Options, in Lines) (screen.Exit, error) {
	outboxCtx, stop := context.WithCancel(context.WithoutCancel(ctx))
	defer stop()
	outbox := screen.NewOutbox(outboxCtx, o.Commands)
	p := newFront(o, time.Now, outbox.Send, in)
	p.run(ctx)
	p.endLine()
	p.prompt.Drafts.Save()
	go screen.Drain(outboxCtx, o.Events)
	outbox.Close(terminal.Grace)
	p.slash.Palette.SaveRecent()
	exit := p.exit
	exit.Turns, exit.Jobs = p.session.Feed.State.Turns, transcript.Running(p.session.Feed.State.Jobs)
	exit.BaseURL, exit.Host = p.session.Feed.State.BaseURL, p.session.Feed.State.Host
	return exit, nil
}

func newFront(o screen.Options, now func() time.Time, send func(event.Command), in Lines) *front {
	o.Appearance.NoColor = true
	c := screen.New(o, now, send)
	out := &output{w: o.Output, letters: c.Styles.Letters}
	p := &front{session: c, output: out, lists: &openList{}, in: in, results: make(chan tea.Msg), awaited: awaited{ends: map[int]bool{}}}
	p.printer = &printer{output: out, feed: c.Feed, typed: in.Typed, started: map[string]bool{}, mode: o.Session.Mode}
	c.Width, c.Height = width, height
	c.After = func(time.Duration, tea.Msg) tea.Cmd { return nil } // timers only serve animations and expiring hints
	p.editor = editor.New(c.Keys, c.Styles, false)
	p.dialog = dialog.New(c.Keys, c.Styles, false, o.Files.ShortDir, now)
	var notices []string
	p.slash, notices = slash.New(c, p.editor)
	do := prompt.Actions{Help: p.help, Leave: func() tea.Cmd { return p.leave(screen.Exit{}) }}
	p.prompt = prompt.New(c, p.editor, p.dialog, p.slash, do)
	p.slash.Front = slash.Front{Lists: p.lists, Quit: p.leave, Help: p.help, Copy: p.prompt.Clipboard.Copy, Restyle: func(ink.Look) {}, Ask: func(o dialog.LocalQuestion) { p.dialog.Show(o, false) }, Withdraw: p.dialog.WithdrawLocal}
	p.questions = &questions{Window: c.Window, output: out, dialog: p.dialog, send: c.Agent.GiveAnswer, open: p.slash.OpenPage, edit: p.prompt.External.EditPlan, keep: p.prompt.Drafts.KeepTyped}
	p.prompt.External.Lend = p.lend
	p.session.Open(notices)
	p.prompt.Drafts.Restore(o.Session.Draft)
	return p
}

// leave ends run with the result exit. Its command wakes run up.
func (p *front) leave(exit screen.Exit) tea.Cmd {
	p.exit, p.session.Done = exit, true
	return tea.Quit
}

// run handles events, lines and results until the front end is done.
func (p *front) run(ctx context.Context) {
	p.questions.do = func(cmd tea.Cmd) { p.do(ctx, cmd) }
	defer p.unhide()
	p.begin()
	p.session.PlayNext()
	for !p.session.Done {
		if p.background == 0 { // the rows of a list are complete
			p.do(ctx, p.printList())
			p.printUnsent()
		}
		p.hide()
		p.printPrompt()
		select {
		case ev, ok := <-p.session.Options.Events:
			if !ok {
				return
			}
			p.handle(ctx, ev)
		case p.next() <- struct{}{}:
		case line, ok := <-p.lines():
			p.prompted = p.prompted && (!ok || p.show != nil) // the end of a hidden line is not on the screen
			if ok {
				p.do(ctx, p.line(line))
			} else {
				p.inputEnded = true
			}
		case msg := <-p.results:
			p.done(ctx, msg)
		case <-p.in.Interrupts:
			p.interrupt()
		case <-ctx.Done():
			return
		}
		if p.inputEnded {
			p.finish()
		}
		p.session.ReportForced()
		p.do(ctx, p.prompt.Drafts.Keep())
	}
}

// handle prints and applies an event of the agent.
func (p *front) handle(ctx context.Context, ev event.Event) {
	p.printer.event(ev)
	before := p.dialog.First().ID
	p.apply(ev)
	p.awaited.took(ev)
	p.do(ctx, p.dropPages(ev))
	p.askNext(before)
}

// askNext prints the first question if it is another one than before: a new one, or the
// next one after one was withdrawn.
func (p *front) askNext(before string) {
	if first := p.dialog.First(); p.dialog.Waits() && first.ID != before {
		p.questions.ask(first)
	}
}

// apply updates the conversation and its parts.
func (p *front) apply(ev event.Event) {
	_, p.printer.turnEnding = ev.(*event.TurnEnd)
	p.session.Apply(ev)
	p.slash.Apply(ev)
	switch ev := ev.(type) {
	case event.Opened:
		p.session.TakeSummary(ev)
	case *event.Rewound:
		p.session.Rewind(ev.Keep)
	}
	p.prompt.Apply(ev)
	p.printer.turnEnding = false
}

// dropPages drops old pages of the transcript, between turns.
func (p *front) dropPages(ev event.Event) tea.Cmd {
	switch ev.(type) {
	case *event.TurnEnd, *event.Rewound, event.Opened:
		p.session.Transcript.Layout(width, height)
		return p.session.TurnPages()
	}
	return nil
}

// do runs cmd in the background and sends its result to run.
func (p *front) do(ctx context.Context, cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	p.background++
	go func() {
		select {
		case p.results <- cmd():
		case <-ctx.Done():
		}
	}()
}

// done handles the result of a command.
func (p *front) done(ctx context.Context, msg tea.Msg) {
	p.background--
	if many, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range many {
			p.do(ctx, cmd)
		}
		return
	}
	editing := p.prompt.External.Editing
	if cmd, taken := p.prompt.Take(msg); taken {
		p.do(ctx, cmd)
		if editing && !p.prompt.External.Editing {
			p.questions.planEdited()
		}
		return
	}
	before := p.dialog.First().ID
	if _, ok := msg.(list.Msg); ok {
		p.do(ctx, p.lists.update(msg))
	} else if cmd, taken := p.slash.Take(msg); taken {
		p.do(ctx, cmd)
	} else {
		p.session.Take(msg)
	}
	p.askNext(before)
}

// lines returns the channel of the next line; nil if none must be read now. Lines of a
// file wait until the turn ends or asks a question, the rows of a list are complete
// and the session is read.
func (p *front) lines() <-chan string {
	working := p.session.Busy() && !p.dialog.Waits() || p.lists.Open != nil && p.background > 0 || p.slash.Lists() || !p.session.Transcript.Pages.Settled
	if p.inputEnded || p.prompt.External.Editing || !p.in.Typed && working {
		return nil
	}
	return p.in.C
}

// next returns the channel that requests a line; nil if none must be read now.
func (p *front) next() chan<- struct{} {
	if p.lines() == nil {
		return nil
	}
	return p.in.Next
}

// line handles a line: an answer, the choice of a row, a command or a prompt.
func (p *front) line(line string) tea.Cmd {
	line = strings.TrimSpace(line)
	if f, ok := p.lists.Open.(*list.Field); ok && p.lists.listed > 0 { // also before an answer, because it may be a key
		return p.giveField(f, line)
	}
	if p.dialog.Waits() {
		if !p.in.Typed || p.session.Now().Sub(p.questions.asked) >= dialog.Quiet {
			return p.questions.answer(line)
		}
		if line != "" { // an answer needs a pause without other lines before it
			p.questions.asked = p.session.Now()
		}
		if yesOrNo(line) != 0 || isNumber(line) {
			p.print("note: this line came too soon after the question to be its answer, so it was sent as a message")
		}
	}
	switch {
	case p.chooses(line):
		return p.choose(line)
	case line != "":
		p.lists.Close()
		p.editor.Set(line)
		cmd := p.prompt.Submit()
		if _, _, command := slash.Parse(line); (command || len(prompt.Mentioned(line)) > 0) && p.editor.Raw() == line { // it failed, with a note
			p.editor.Take()
		}
		return cmd
	case p.in.Typed && p.session.Agent.CanRetry():
		p.session.Agent.Retry()
	}
	return nil
}

// finish handles the end of the input: it rejects open questions, and ends run when
// nothing runs any more.
func (p *front) finish() {
	for p.dialog.Waits() {
		p.questions.reply(event.Answer{Decision: event.Refuse, Note: "standard input ended before an answer"})
	}
	if !p.session.Busy() && !p.awaited.any() && !p.slash.Lists() && !p.prompt.Queue.ShellRuns() && len(p.session.Feed.Log.Pending) == 0 && p.background == 0 && p.lists.filter == "" {
		p.session.Done = true
	}
}

// interrupt interrupts the turn, or quits if none runs.
func (p *front) interrupt() {
	switch {
	case !p.session.Busy() && p.slash.CancelUndo():
		p.print("note: " + p.session.Flash)
	case p.lists.Open != nil && !p.session.Busy():
		p.lists.update(list.Close{})
		p.print("note: closed")
	case p.session.Busy():
		p.session.Interrupt()
		p.prompt.Questions.End(func(ask event.Ask) bool { return !p.session.Delegates.AskInBackground(ask) })
	case !p.in.Typed || p.prompt.DoublePress.Quit():
		p.session.Done = true
	default:
		also := ""
		if all := p.session.Delegates.StopsAtEnd(); all != "" {
			also = " and stop " + all
		}
		p.print("note: press ctrl+c again to quit" + also)
	}
}

// printUnsent prints text that was returned unsent, so that the user can type it
// again.
func (p *front) printUnsent() {
	text := p.editor.Take().Text
	if strings.TrimSpace(text) != "" {
		p.block("note", "not sent, type it again to send it: "+ink.Sanitize(text))
	}
	if held := p.prompt.Queue.TakeHeld(); len(held) > 0 {
		p.print("note: not sent, type these again to send them:")
		for _, text := range held {
			p.block("", ink.Sanitize(text))
		}
	}
}

// printPrompt prints the prompt for the next line, if the user can type one.
func (p *front) printPrompt() {
	reading := p.lists.Open != nil && p.background > 0 // the rows of a list
	if p.in.Typed && !p.prompted && !p.inputEnded && !reading && !p.slash.Lists() && !p.prompt.External.Editing && (!p.session.Feed.Running || p.dialog.Waits()) {
		p.request()
	}
}

// lend runs the user's editor, which has the terminal until it exits.
func (p *front) lend(c *exec.Cmd, note string, done func(error) tea.Msg) tea.Cmd {
	p.block("note", note)
	return func() tea.Msg { return done(c.Run()) }
}
