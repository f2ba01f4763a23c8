package turn

import (
	"context"
	"regexp"
	"sync"

	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// input adds to the conversation what is neither a reply nor a result: the prompts of the
// user, the commands that they typed, and the notes of the program.
type input struct {
	inbox       Inbox
	additions   Additions
	permissions Permissions
	hooks       Hooks // nil for none
	delegated   bool  // as Turn.Delegated
	prefix      *prefixer
	conv        *Conversation
	out         *reporter
	answer      *llm.Answer // of the turn so far
	note        string      // to the model, for the next step
	// wantsText is set if a prompt asks for text in the form of a tool call.
	wantsText bool
}

// addPrefix sets the prefix and adds the description of the environment, which is collected
// meanwhile.
func (in *input) addPrefix() {
	var text string
	var panicked any
	var describing sync.WaitGroup
	if in.additions.Situation != nil {
		describing.Go(func() { // git can take as long as building the prefix
			defer func() { panicked = recover() }()
			text = in.additions.Situation()
		})
	}
	func() {
		defer describing.Wait()
		in.prefix.set()
	}()
	if panicked != nil {
		panic(panicked)
	}
	if text == "" {
		return
	}
	in.out.emit(&event.UserSaid{Meta: in.out.meta(), Text: text, Steered: true, Auto: true, Situation: true})
	in.conv.add(llm.Message{Kind: llm.User, Text: text, Note: true})
}

// say adds a message of the user. Steered is set if it was sent during the turn. If a hook
// blocks the message, it is not added, and say returns how a turn ends that began with it.
func (in *input) say(ctx context.Context, p event.Prompt, steered bool) ending {
	var note string
	if in.hooks != nil {
		var blocked string
		if note, blocked = in.hooks.Prompt(ctx, p); blocked != "" {
			return ending{event.Blocked, "a hook blocked the prompt: " + blocked, "Change the prompt, or the hook. To list the hooks: agent hooks"}
		}
	}
	in.out.emit(&event.UserSaid{Meta: in.out.meta(), Text: p.Text, Images: p.Images, Steered: steered, Source: p.Source})
	in.conv.add(llm.Message{Kind: llm.User, Text: p.Text, Images: p.Images})
	in.wantsText = in.wantsText || textWanted.MatchString(p.Text)
	in.answer.End()
	if p.Source != "" {
		in.permissions.NoteSource(p.Source)
	}
	if in.additions.Attach != nil && len(p.Mentions) > 0 {
		in.attach(in.additions.Attach(ctx, p.Mentions))
	}
	if in.additions.Mentioned != nil && p.Source == "" && offeredName(in.conv.Prefix, delegateTool) != "" {
		if note := in.additions.Mentioned(p.Text); note != "" {
			in.addNotes(note)
		}
	}
	if note != "" {
		in.addNotes(note)
	}
	return ending{}
}

// attach adds the resources that the prompt mentions. A notice names those that could not
// be read.
func (in *input) attach(all []tools.Attachment) {
	for _, a := range all {
		head, text := "[@"+a.Name+", mentioned in the prompt: "+a.Summary+"]\n", a.Text
		if a.Err != nil {
			head, text = "[@"+a.Name+", mentioned in the prompt, could not be read]\n", a.Err.Error()
			in.out.emit(event.Notice{Text: "Cannot read @" + a.Name + ": " + text + ". The prompt was sent without it."})
		}
		if a.Source != "" {
			in.permissions.NoteSource(a.Source)
			text = tools.Quote(a.Source, text)
		}
		in.out.emit(&event.UserSaid{Meta: in.out.meta(), Text: head + text, Images: a.Images, Steered: true, Auto: true, Source: a.Source})
		in.conv.add(llm.Message{Kind: llm.User, Text: head + text, Images: a.Images, Note: true})
		in.answer.Add(llm.Message{Kind: llm.User})
	}
}

// addPrompts adds the pending note and the messages that steer the turn. It reports
// whether there were any.
func (in *input) addPrompts(ctx context.Context) bool {
	before := len(in.conv.Messages)
	if in.note != "" {
		in.addNotes(in.note)
		in.note = ""
	}
	for _, p := range in.inbox.Prompts() {
		if end := in.say(ctx, p, true); end.err != "" {
			in.out.emit(event.Notice{Text: end.err})
		}
	}
	return len(in.conv.Messages) > before
}

// addCommands adds the commands that the user typed.
func (in *input) addCommands() {
	for _, c := range in.inbox.Commands() {
		in.out.emit(&event.ShellOutputSent{Meta: in.out.meta(), ID: c.ID})
		in.conv.add(c.Message)
	}
}

// addNews adds the notes of the program: about plan mode, and those of the inbox
// that the conversation does not have.
func (in *input) addNews() {
	in.addNotes(in.conv.announceMode(in.permissions.Mode(), in.delegated)...)
	in.addNotes(in.inbox.News()...)
	if in.additions.Instructions != nil {
		in.addNotes(in.conv.missing(in.additions.Instructions())...)
	}
}

// addNotes adds notes of the program, as user messages.
func (in *input) addNotes(texts ...string) {
	for _, text := range texts {
		in.out.emit(&event.UserSaid{Meta: in.out.meta(), Text: text, Steered: true, Auto: true})
		in.conv.add(llm.Message{Kind: llm.User, Text: text, Note: true})
		in.answer.Add(llm.Message{Kind: llm.User})
	}
}

// textWanted matches prompts that ask for text in the form of a call.
var textWanted = regexp.MustCompile(`(?i)(tool|function)[ _-]?call|<function|<tool|<\||"(name|arguments|parameters)"|(^|[^.\w])json\b|` +
	`\b(show|print|write|output|example|format|syntax|how|what)\b[^.!?\n]{0,80}\b(call|invo)`)
