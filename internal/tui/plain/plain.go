// Package plain shows a session as lines of text that stay as they were written:
// for screen readers, logs and terminals that can do no more. It takes the same
// events as the screen and carries out the same commands, and draws nothing. Start
// reading at Show.
package plain

import (
	"context"
	"fmt"
	"io"
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

// Lines are the lines that the user types, or that a file holds.
type Lines struct {
	C     <-chan string // without their ends; closed when there are no more
	Typed bool          // the user types them, and a prompt asks for each
	// Interrupts are requests to interrupt the turn, or to leave if none runs.
	Interrupts <-chan struct{}
}

// front is the front end: it prints events, and takes lines as prompts, commands
// and answers.
type front struct {
	*screen.Conversation
	dialog *dialog.Dialog // the questions that wait
	prompt *prompt.Prompt
	editor *editor.Editor // what the prompt is typed in
	slash  *slash.Session
	lists  *openList
	next   screen.Exit

	in    Lines
	out   io.Writer
	came  chan tea.Msg // results of commands that ran in the background
	busy  int          // how many of them run
	asked time.Time    // when the question was last printed
	ended bool         // there are no more lines

	marked bool // the prompt for the next line is on the screen
	ending bool // items are added because a turn ends

	said    string // the text so far of the message that streams
	printed int    // how many bytes of it are printed
	started map[string]bool
	mode    string // that was printed last
}

// Lines are laid out for a screen of that size.
const (
	width  = 100
	height = 1000
)

// Show prints the session until the user leaves, the agent is gone, ctx ends or
// there are no more lines. None of these is an error. Of o, keys and the terminal
// mean nothing here; o.Output must be set.
func Show(ctx context.Context, o screen.Options, in Lines) (screen.Exit, error) {
	all, stop := context.WithCancel(ctx)
	defer stop()
	outbox := screen.NewOutbox(all, o.Commands)
	p := newFront(o, time.Now, outbox.Send, in)
	p.run(ctx)
	p.endLine()
	outbox.Close(terminal.Grace)
	p.slash.SaveRecent()
	exit := p.next
	exit.Turns, exit.Jobs = p.Feed.Turns, transcript.Running(p.Feed.Jobs)
	exit.BaseURL, exit.Host = p.Feed.BaseURL, p.Feed.Host
	return exit, nil
}

func newFront(o screen.Options, now func() time.Time, send func(event.Command), in Lines) *front {
	o.Appearance.NoColor = true
	c := screen.New(o, now, send)
	c.Width, c.Height = width, height
	c.After = func(time.Duration, tea.Msg) tea.Cmd { return nil } // nothing changes with time alone
	p := &front{Conversation: c, lists: &openList{}, in: in, out: o.Output, came: make(chan tea.Msg), started: map[string]bool{}, mode: o.Session.Mode}
	p.editor = editor.New(c.Keys, c.Styles, false)
	p.dialog = dialog.New(c.Keys, c.Styles, false, o.Files.ShortDir, now)
	var notices []string
	p.slash, notices = slash.New(c, p.editor, p.lists)
	leave := func() tea.Cmd { return p.leave(screen.Exit{}) }
	p.prompt = prompt.New(c, p.editor, p.dialog, p.slash, p.help, leave)
	p.slash.Front = slash.Front{Leave: p.leave, Help: p.help, Copy: p.prompt.Clipboard.Copy, Restyle: func(ink.Look) {}}
	p.Open(notices)
	p.prompt.Drafts.Restore(o.Session.Draft)
	return p
}

// leave ends the front end, after which next is shown. Its command wakes run up.
func (p *front) leave(next screen.Exit) tea.Cmd {
	p.next, p.Done = next, true
	return tea.Quit
}

// run takes events, lines and results until the end.
func (p *front) run(ctx context.Context) {
	p.begin()
	p.PlayNext()
	for !p.Done {
		if p.busy == 0 { // all rows of a list are there
			p.do(ctx, p.list())
			p.printUnsent()
		}
		p.mark()
		select {
		case ev, ok := <-p.Options.Events:
			if !ok {
				return
			}
			p.heard(ctx, ev)
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
			p.finish()
		}
		p.ReportForced()
		p.do(ctx, p.prompt.Drafts.Keep())
	}
}

// heard prints an event of the agent and keeps up with it.
func (p *front) heard(ctx context.Context, ev event.Event) {
	p.event(ev)
	p.apply(ev)
	p.do(ctx, p.turnPages(ev))
	if asked, ok := ev.(event.Asked); ok && p.dialog.Count() == 1 {
		p.ask(asked.Ask)
	}
}

func (p *front) apply(ev event.Event) {
	_, p.ending = ev.(*event.TurnEnd)
	p.Apply(ev)
	p.slash.Apply(ev)
	switch ev := ev.(type) {
	case event.Asked:
		p.dialog.Push(ev.Ask, false)
	case *event.Decided:
		p.dialog.Withdraw(ev.ID)
	case *event.ToolEnd:
		p.dialog.Withdraw(ev.Result.ID)
	case event.Opened:
		p.TakeSurvey(ev)
	case event.Unsent:
		p.editor.PutBefore(ev.Text)
	case *event.Rewound:
		if p.Rewind(ev.Keep) {
			p.dialog.Clear()
			p.SayRewound()
		}
	case *event.TurnEnd:
		p.dialog.Clear()
	}
	p.prompt.Queue.Follow(ev)
	p.ending = false
}

// turnPages lets go of what was printed long ago, between turns.
func (p *front) turnPages(ev event.Event) tea.Cmd {
	switch ev.(type) {
	case *event.TurnEnd, *event.Rewound, event.Opened:
		p.Transcript.Layout(width, height)
		return p.TurnPages()
	}
	return nil
}

// do runs cmd in the background. Its result comes back to run.
func (p *front) do(ctx context.Context, cmd tea.Cmd) {
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

// done takes the result of a command.
func (p *front) done(ctx context.Context, msg tea.Msg) {
	p.busy--
	if many, ok := msg.(tea.BatchMsg); ok {
		for _, cmd := range many {
			p.do(ctx, cmd)
		}
		return
	}
	if cmd, taken := p.prompt.Take(msg); taken {
		p.do(ctx, cmd)
		return
	}
	if _, ok := msg.(list.Msg); ok {
		p.do(ctx, p.lists.update(msg))
	} else if !p.slash.Take(msg) {
		p.Take(msg)
	}
}

// lines is where the next line comes from. Lines of a file wait for the end of the
// turn unless it asks a question, for the rows of a list, and until the session is
// read.
func (p *front) lines() <-chan string {
	working := p.Busy() && !p.dialog.Waits() || p.lists.over != nil && p.busy > 0 || !p.Transcript.Settled
	if p.ended || !p.in.Typed && working {
		return nil
	}
	return p.in.C
}

// line takes a line: as an answer, the choice of a row, a command or a prompt.
func (p *front) line(line string) tea.Cmd {
	line = strings.TrimSpace(line)
	if p.dialog.Waits() {
		if !p.in.Typed || p.Now().Sub(p.asked) >= dialog.Quiet {
			p.answer(line)
			return nil
		}
		p.asked = p.Now() // an answer follows a pause without another line
		if yesOrNo(line) != 0 || isNumber(line) {
			p.print("note: this line came too soon to answer the question, so it is a message")
		}
	}
	switch {
	case p.chooses(line):
		return p.choose(line)
	case line != "":
		p.lists.Close()
		p.editor.Set(line)
		cmd := p.prompt.Submit()
		if _, _, command := slash.Parse(line); command && p.editor.Raw() == line { // its error says what to type
			p.editor.Take()
		}
		return cmd
	}
	return nil
}

// finish ends a session without further lines: questions that wait are rejected,
// and the end of the turn is the end of the session.
func (p *front) finish() {
	for p.dialog.Waits() {
		p.reply(event.Answer{Decision: event.Refuse, Note: "nobody is here to answer"})
	}
	if !p.Busy() && !p.prompt.Queue.ShellRuns() && len(p.Feed.Pending) == 0 && p.busy == 0 && p.lists.sought == "" {
		p.Done = true
	}
}

// interrupt interrupts the turn, or leaves.
func (p *front) interrupt() {
	switch {
	case p.Busy():
		p.Interrupt()
		p.dialog.Clear()
	case !p.in.Typed || p.prompt.ConfirmLeave():
		p.Done = true
	default:
		p.print("note: once more leaves")
	}
}

// printUnsent prints text that came back unsent, which can be typed again.
func (p *front) printUnsent() {
	text := p.editor.Take().Text
	if strings.TrimSpace(text) != "" {
		p.block("note", "unsent, type it again to send it: "+ink.Sanitize(text))
	}
	if waits := p.prompt.Queue.TakeHeld(); len(waits) > 0 {
		p.print("note: these are unsent, type them again to send them:")
		for _, text := range waits {
			p.block("", ink.Sanitize(text))
		}
	}
}

// mark prints the prompt for the next line, when the user can type one.
func (p *front) mark() {
	reads := p.lists.over != nil && p.busy > 0 // the rows of a list
	if p.in.Typed && !p.marked && !p.ended && !reads && (!p.Feed.Running || p.dialog.Waits()) {
		fmt.Fprint(p.out, "> ")
		p.marked = true
	}
}

// print writes a line.
func (p *front) print(line string) {
	p.endLine()
	fmt.Fprintln(p.out, strings.TrimRight(p.Styles.Letters.Write(line), " "))
}

// block prints text, its first line after the speaker. The other lines are indented,
// so that none of them looks like a line of the program.
func (p *front) block(who, text string) {
	for i, l := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		if i == 0 && who != "" {
			p.print(who + ": " + l)
		} else {
			p.print("  " + l)
		}
	}
}

// endLine ends the line that holds the prompt.
func (p *front) endLine() {
	if p.marked {
		fmt.Fprintln(p.out)
		p.marked = false
	}
}
