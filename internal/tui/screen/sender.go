package screen

import (
	"agent/internal/llm"
	"agent/internal/loop/event"
	"agent/internal/tui/transcript"
)

// Sender is the way to the agent. It sends commands in order, and notes in the feed what
// they will change, before the agent confirms it.
type Sender struct {
	Send    func(event.Command) // never blocks
	Answers Answers             // of the commands that wait for one

	list *transcript.Transcript
	feed *transcript.Feed
}

// SendCommand sends a command and scrolls to the end, where its effect is shown.
func (a *Sender) SendCommand(command event.Command) {
	a.Send(command)
	a.list.ShowEnd()
}

// SendTyped sends a prompt that the user typed, with the resources that it mentions.
func (a *Sender) SendTyped(text string, images ...llm.Image) {
	a.send(event.Prompt{Text: text, Images: images, Mentions: event.Resources(text)})
}

// SendPrompt sends a prompt and scrolls to the end.
func (a *Sender) SendPrompt(p event.Prompt) {
	a.list.ShowEnd()
	a.send(p)
}

func (a *Sender) send(p event.Prompt) {
	a.feed.PromptSent(p.Text)
	a.Send(p)
}

// CanRetry reports whether Retry has an effect: the last answer was truncated, or the
// last turn failed.
func (a *Sender) CanRetry() bool {
	f := a.feed
	return !f.Busy() && len(f.Log.Pending) == 0 && (f.Cut || f.Failed || f.Exited)
}

// Retry continues a truncated answer, or sends the conversation again.
func (a *Sender) Retry() {
	if a.feed.Cut {
		a.send(event.Prompt{Text: event.ContinuePrompt})
		return
	}
	a.feed.TurnSent()
	a.Send(event.Retry{})
}

// SetMode sets the permission mode, here and in the agent.
func (a *Sender) SetMode(mode event.Mode) {
	a.feed.State.Mode = string(mode)
	a.Send(event.SetMode{Mode: mode})
}

// GiveAnswer sends the user's answer to a question.
func (a *Sender) GiveAnswer(answer *event.Answer) {
	a.feed.Answered(answer.ID)
	a.Send(*answer)
}

// StartDelegate starts a delegate for the user, and scrolls to the end.
func (a *Sender) StartDelegate(agent, prompt string) {
	a.SendCommand(event.StartDelegate{Ref: Await(&a.Answers, func(event.DelegatesNow) {}), Agent: agent, Prompt: prompt})
}
