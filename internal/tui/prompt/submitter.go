package prompt

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/llm"
	"agent/internal/tui/editor"
	"agent/internal/tui/screen"
	"agent/internal/tui/slash"
	"agent/internal/tui/transcript"
)

// submitter sends or queues the text of the editor, runs it as a command, or starts the
// agents that it mentions.
type submitter struct {
	agent     *screen.Sender
	delegates *screen.Delegates
	list      *transcript.Transcript
	say       func(text string) // shows a notice
	editor    *editor.Editor
	images    *Attacher
	history   *History
	queue     *Queue
	feed      *transcript.Feed
	connects  func() bool                            // see slash.Models.CanConnect
	run       func(name, arg string) (tea.Cmd, bool) // runs a slash command
}

// submit sends the prompt or runs it as a command. An empty prompt releases the queue or
// retries a failed turn; without a model it opens /connect.
func (p *submitter) submit() tea.Cmd {
	if p.editor.ContinueLine() {
		p.editor.Newline()
		return nil
	}
	if problem := shellProblem(p.editor.Text()); problem != "" {
		p.say(problem)
		return nil
	}
	if llm.IsAPIKey(p.editor.Text()) { // it is never sent
		cmd, _ := p.run("connect", p.editor.Take().Text)
		return cmd
	}
	if p.editor.Blank() {
		switch {
		case p.queue.release():
		case p.agent.CanRetry():
			p.list.ShowEnd()
			p.agent.Retry()
		case p.offline() && p.connects():
			cmd, _ := p.run("connect", "")
			return cmd
		}
		return nil
	}
	if cmd, waits := p.images.unread(); waits {
		return cmd
	}
	if p.delegate() {
		return nil
	}
	typed, all := p.editor.Raw(), p.editor.Take()
	name, arg, ok := slash.Parse(all.Text)
	if !ok {
		name, ok = p.word(all.Text)
	}
	if ok {
		cmd, ok := p.run(name, arg)
		if !ok {
			p.editor.Set(typed)
		}
		return cmd
	}
	p.list.ShowEnd()
	p.queue.Submit(all)
	return nil
}

// word returns the slash command that a prompt of one word means: to quit, as in a shell, and to
// undo or to connect while there is no model that could understand the word.
func (p *submitter) word(text string) (name string, ok bool) {
	switch strings.ToLower(strings.TrimSpace(text)) {
	case "quit", "exit", ":q":
		return "quit", !p.feed.Busy()
	case "undo":
		return "undo", p.offline()
	case "connect", "login":
		return "connect", p.offline() && p.connects()
	}
	return "", false
}

// offline reports whether nothing runs and no model is connected.
func (p *submitter) offline() bool {
	return !p.feed.Busy() && screen.Status{Model: p.feed.State.Model}.Offline() != ""
}

// shellProblem says why a draft that begins with ! is not run: it is empty, or a later line
// begins with ! too, as in several pasted commands. A here document may have such lines.
func shellProblem(draft string) string {
	draft = strings.TrimSpace(draft)
	if draft == "!" || draft == "!!" {
		return "Usage: !COMMAND, or !!COMMAND to run a command without telling the model."
	}
	if !strings.HasPrefix(draft, "!") || strings.Contains(draft, "<<") {
		return ""
	}
	for i, line := range strings.Split(draft, "\n") {
		rest, marked := strings.CutPrefix(strings.TrimSpace(line), "!")
		if i > 0 && marked && rest != "" && rest[0] != ' ' { // "! cmd" negates
			return fmt.Sprintf("Not run: line %d begins with ! too. Run one command at a time, or remove that ! to run all lines as one command.", i+1)
		}
	}
	return ""
}

// enqueue queues the prompt. If nothing runs, it is sent at once.
func (p *submitter) enqueue() tea.Cmd {
	if p.editor.Blank() {
		return nil
	}
	if problem := shellProblem(p.editor.Text()); problem != "" {
		p.say(problem)
		return nil
	}
	if _, _, command := slash.Parse(p.editor.Text()); command || llm.IsAPIKey(p.editor.Text()) || len(Mentioned(p.editor.Text())) > 0 { // neither is queued
		return p.submit()
	}
	if cmd, waits := p.images.unread(); waits {
		p.images.queue = true
		return cmd
	}
	p.list.ShowEnd()
	p.queue.add(p.editor.Take())
	return nil
}

// sendReady sends or queues the prompt after its images were read.
func (p *submitter) sendReady(queue bool) tea.Cmd {
	if queue {
		return p.enqueue()
	}
	return p.submit()
}

// delegate starts the agents that the prompt mentions at its beginning. It reports false
// for any other prompt. If one cannot be started, it says why, and the prompt stays.
func (p *submitter) delegate() bool {
	names, task := parseMentions(p.editor.Text())
	if len(names) == 0 {
		return false
	}
	for _, name := range names {
		if problem := p.delegates.Check(name, task); problem != "" {
			p.say(problem)
			return true
		}
	}
	if len(p.editor.Draft().Images) > 0 {
		p.say("An agent cannot be sent images. Remove the image, or name its file in the text.")
		return true
	}
	p.history.add(p.editor.Take().Text)
	for _, name := range names {
		p.agent.StartDelegate(name, task)
	}
	return true
}
