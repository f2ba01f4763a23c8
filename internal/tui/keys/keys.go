package keys

import "slices"

// Action is what a key does. Its name is what a configuration calls it by.
type Action string

// Fixed stands for keys that no configuration can change.
const Fixed Action = ""

// The actions.
const (
	Send       Action = "send"
	Queue      Action = "queue"
	Unqueue    Action = "unqueue"
	Newline    Action = "newline"
	Interrupt  Action = "interrupt"
	Clear      Action = "clear"
	Leave      Action = "leave"
	Rewind     Action = "rewind"
	Help       Action = "help"
	PrevPrompt Action = "previous-prompt"
	NextPrompt Action = "next-prompt"
	Search     Action = "search-prompts"
	Palette    Action = "palette"
	Mode       Action = "mode"
	Model      Action = "model"
	Open       Action = "open"
	OpenAll    Action = "open-all"
	PageUp     Action = "page-up"
	PageDown   Action = "page-down"
	Top        Action = "top"
	Bottom     Action = "bottom"
	JumpBack   Action = "jump-back"
	JumpOn     Action = "jump-on"
	Find       Action = "find"
	View       Action = "view"
	Mouse      Action = "mouse"
	Suspend    Action = "suspend"
	Redraw     Action = "redraw"

	ListUp   Action = "list-up"
	ListDown Action = "list-down"

	Everywhere Action = "everywhere"

	Complete Action = "complete"
	Dismiss  Action = "dismiss"

	Older Action = "older"
	Newer Action = "newer"

	ViewUp       Action = "view-up"
	ViewDown     Action = "view-down"
	ViewPageUp   Action = "view-page-up"
	ViewPageDown Action = "view-page-down"
	ViewHalfUp   Action = "view-half-up"
	ViewHalfDown Action = "view-half-down"
	ViewTop      Action = "view-top"
	ViewBottom   Action = "view-bottom"
	ViewFind     Action = "view-find"
	ViewOlder    Action = "view-older"
	ViewNewer    Action = "view-newer"
	ViewClose    Action = "view-close"

	LineStart     Action = "line-start"
	LineEnd       Action = "line-end"
	WordLeft      Action = "word-left"
	WordRight     Action = "word-right"
	Left          Action = "left"
	Right         Action = "right"
	EraseLeft     Action = "erase-left"
	EraseRight    Action = "erase-right"
	EraseWord     Action = "erase-word"
	ErasePart     Action = "erase-part"
	EraseWordR    Action = "erase-word-right"
	EraseToHead   Action = "erase-to-start"
	EraseToTail   Action = "erase-to-end"
	Yank          Action = "yank"
	YankOlder     Action = "yank-older"
	TextStart     Action = "text-start"
	TextEnd       Action = "text-end"
	StepRight     Action = "step-right"
	StepUp        Action = "step-up"
	MarkLeft      Action = "mark-left"
	MarkRight     Action = "mark-right"
	MarkWordLeft  Action = "mark-word-left"
	MarkWordRight Action = "mark-word-right"
	MarkUp        Action = "mark-up"
	MarkDown      Action = "mark-down"
	MarkStart     Action = "mark-line-start"
	MarkEnd       Action = "mark-line-end"
	CopyMarked    Action = "copy-marked"
	Upper         Action = "upper-word"
	Lower         Action = "lower-word"
	Capital       Action = "capital-word"
	SwapWords     Action = "swap-words"
	SwapLetters   Action = "swap-letters"
	Undo          Action = "undo"
	Redo          Action = "redo"
	Expand        Action = "expand"
	Edit          Action = "edit"
	Attach        Action = "attach"
)

// Scope says where a binding holds.
type Scope string

const (
	Anywhere     Scope = ""
	WhileRuns    Scope = "while a turn runs"
	onEmpty      Scope = "on an empty prompt"
	inQuestion   Scope = "while a question waits"
	inList       Scope = "in a list"
	inSessions   Scope = "while a session is chosen"
	InEditor     Scope = "in the text"
	InLine       Scope = "where text follows that way"
	InSearch     Scope = "while the session is searched"
	inView       Scope = "while everything is shown"
	InCompletion Scope = "while something is suggested or searched"
)

// Binding ties keys to an action. Keys that are pressed one after the other are
// one of them: "ctrl+x ctrl+e".
type Binding struct {
	Action Action
	Where  Scope
	Keys   []string
	What   string // what the person is told; empty is not worth telling
}

// Bindings is the one table of keys, in the order in which help tells them.
func Bindings() []Binding { return slices.Concat(screenKeys(), overlayKeys(), editorKeys()) }

// screenKeys are those that hold wherever one types.
func screenKeys() []Binding {
	return []Binding{
		{Send, Anywhere, []string{"enter"}, "send; while the model works, steer it"},
		{Queue, Anywhere, []string{"alt+enter"}, "send it once what runs has ended; up takes it back"},
		{Unqueue, Anywhere, []string{"alt+q"}, "remove the last message that waits so"},
		{Newline, Anywhere, []string{"shift+enter", "ctrl+j"}, `new line; so does \ before enter`},
		{Interrupt, WhileRuns, []string{"esc", "ctrl+c"}, "stop the turn, at any instant"},
		{Clear, Anywhere, []string{"ctrl+c"}, "clear the prompt; on an empty one, twice, leave"},
		{Leave, onEmpty, []string{"ctrl+d"}, "leave"},
		{Rewind, onEmpty, []string{"esc"}, "twice: take back what was said, to say it otherwise"},
		{Help, onEmpty, []string{"?"}, "this help"},
		{PrevPrompt, Anywhere, []string{"up"}, "earlier prompts, from the first line"},
		{NextPrompt, Anywhere, []string{"down", "ctrl+n"}, "later prompts, from the last line"},
		{Search, Anywhere, []string{"ctrl+r"}, "search earlier prompts; again, older ones"},
		{Palette, Anywhere, []string{"ctrl+p"}, "all that can be done, to be searched"},
		{Mode, Anywhere, []string{"shift+tab"}, "change what is asked about"},
		{Model, Anywhere, []string{"alt+p"}, "choose the model that answers"},
		{Open, Anywhere, []string{"ctrl+o"}, "open or close the last output or thinking"},
		{OpenAll, Anywhere, []string{"ctrl+t"}, "open or close all of them"},
		{PageUp, Anywhere, []string{"pgup"}, "scroll up; so does the wheel"},
		{PageDown, Anywhere, []string{"pgdown"}, "scroll down"},
		{Top, Anywhere, []string{"ctrl+home"}, "to the beginning"},
		{Bottom, Anywhere, []string{"ctrl+end"}, "to the end, and follow it"},
		{JumpBack, Anywhere, []string{"alt+up"}, "to the prompt above"},
		{JumpOn, Anywhere, []string{"alt+down"}, "to the prompt below, or the end"},
		{Find, Anywhere, []string{"ctrl+f"}, "search in the session"},
		{View, Anywhere, []string{"ctrl+g"}, "everything uncut, in all of the window"},
		{Mouse, Anywhere, []string{"alt+m"}, "the mouse is ours, which marks, copies, opens and chooses, or the terminal's"},
		{Suspend, Anywhere, []string{"ctrl+z"}, "suspend the program"},
		{Redraw, Anywhere, []string{"ctrl+l"}, "draw all of the window anew"},
	}
}

// overlayKeys are those of what comes before the editor: questions, lists and
// suggestions.
func overlayKeys() []Binding {
	return []Binding{
		{Fixed, inQuestion, []string{"up", "down"}, "move the marker to another row"},
		{Fixed, inQuestion, []string{"enter"}, "answer with the marked row, or with the selected choices"},
		{Fixed, inQuestion, []string{"1", "2", "3", "4", "5", "6", "7", "8"}, "answer with the row of that number, or select that choice where several may be selected"},
		{Fixed, inQuestion, []string{"y", "n"}, "move the marker to Yes or No; any other text is the reason of a no, or an answer in your own words"},
		{Fixed, inQuestion, []string{"space"}, "select the marked choice, where several may be selected"},
		{Fixed, inQuestion, []string{"tab"}, "next hunk of the change; from a comment, back to the rows"},
		{Fixed, inQuestion, []string{"shift+tab"}, "previous hunk of the change"},
		{Fixed, inQuestion, []string{"ctrl+g"}, "full view of the change or the command; esc or q closes it"},
		{Fixed, inQuestion, []string{"?"}, "show why the question is asked"},
		{Fixed, inQuestion, []string{"pgup", "pgdown", "home", "end"}, "scroll the change or the command"},
		{Fixed, inQuestion, []string{"esc"}, "reject and interrupt the turn; from a comment, back to the rows"},

		{ListUp, inList, []string{"up", "ctrl+p"}, "the one above"},
		{ListDown, inList, []string{"down", "ctrl+n"}, "the one below"},

		{Everywhere, inSessions, []string{"tab"}, "those of all directories, or of this one"},

		{Complete, InCompletion, []string{"tab"}, "take what is marked"},
		{Dismiss, InCompletion, []string{"esc"}, "as it was before"},

		{Older, InSearch, []string{"enter", "up", "ctrl+f"}, "to what is found above"},
		{Newer, InSearch, []string{"down", "shift+enter"}, "to what is found below"},

		{ViewUp, inView, []string{"up", "k"}, "a line up"},
		{ViewDown, inView, []string{"down", "j", "enter"}, "a line down"},
		{ViewPageUp, inView, []string{"b", "pgup"}, "a page up"},
		{ViewPageDown, inView, []string{"space", "pgdown"}, "a page down"},
		{ViewHalfUp, inView, []string{"u", "ctrl+u"}, "half a page up"},
		{ViewHalfDown, inView, []string{"d", "ctrl+d"}, "half a page down"},
		{ViewTop, inView, []string{"g", "home", "<"}, "to the beginning"},
		{ViewBottom, inView, []string{"G", "end", ">", "F"}, "to the end, and follow it"},
		{ViewFind, inView, []string{"/", "ctrl+f"}, "search"},
		{ViewOlder, inView, []string{"n"}, "to what is found above"},
		{ViewNewer, inView, []string{"N"}, "to what is found below"},
		{ViewClose, inView, []string{"q", "esc", "ctrl+g"}, "close it"},
	}
}

// editorKeys are those of the text itself.
func editorKeys() []Binding {
	return []Binding{
		{LineStart, InEditor, []string{"home", "ctrl+a"}, "start of the line"},
		{LineEnd, InEditor, []string{"end", "ctrl+e"}, "end of the line"},
		{WordLeft, InEditor, []string{"alt+left", "ctrl+left", "alt+b"}, "a word back"},
		{WordRight, InEditor, []string{"alt+right", "ctrl+right", "alt+f"}, "a word on"},
		{Left, InEditor, []string{"left", "ctrl+b"}, ""},
		{Right, InEditor, []string{"right"}, ""},
		{EraseLeft, InEditor, []string{"backspace", "ctrl+h"}, ""},
		{EraseRight, InEditor, []string{"delete", "ctrl+d"}, ""},
		{EraseWord, InEditor, []string{"ctrl+w"}, "cut a word, back to a blank"},
		{ErasePart, InEditor, []string{"alt+backspace", "ctrl+backspace"}, "cut a word of letters"},
		{EraseWordR, InEditor, []string{"alt+d", "alt+delete", "ctrl+delete"}, "cut the next word"},
		{EraseToHead, InEditor, []string{"ctrl+u"}, "cut to the start of the line"},
		{EraseToTail, InEditor, []string{"ctrl+k"}, "cut to the end of the line"},
		{Yank, InEditor, []string{"ctrl+y"}, "put back what was cut"},
		{YankOlder, InEditor, []string{"alt+y"}, "in its place, what was cut before"},
		{TextStart, InEditor, []string{"alt+<", "alt+shift+,"}, "start of all that is typed"},
		{TextEnd, InEditor, []string{"alt+>", "alt+shift+."}, "end of all that is typed"},
		{StepRight, InLine, []string{"ctrl+f"}, "a letter on; at the end, search in the session"},
		{StepUp, InLine, []string{"ctrl+p"}, "a row up; in the first one, all that can be done"},
		{MarkLeft, InEditor, []string{"shift+left"}, "mark a letter, to type over it or to cut it; so do the other moves"},
		{MarkRight, InEditor, []string{"shift+right"}, ""},
		{MarkWordLeft, InEditor, []string{"ctrl+shift+left", "alt+shift+left"}, ""},
		{MarkWordRight, InEditor, []string{"ctrl+shift+right", "alt+shift+right"}, ""},
		{MarkUp, InEditor, []string{"shift+up"}, ""},
		{MarkDown, InEditor, []string{"shift+down"}, ""},
		{MarkStart, InEditor, []string{"shift+home"}, ""},
		{MarkEnd, InEditor, []string{"shift+end"}, ""},
		{CopyMarked, InEditor, []string{"alt+w"}, "copy what is marked; ctrl+w cuts it"},
		{Upper, InEditor, []string{"alt+u"}, "the next word in capitals"},
		{Lower, InEditor, []string{"alt+l"}, "the next word in small letters"},
		{Capital, InEditor, []string{"alt+c"}, "a capital for the next word"},
		{SwapWords, InEditor, []string{"alt+t"}, "swap two words"},
		{SwapLetters, InEditor, []string{"ctrl+x ctrl+t"}, "swap two letters"},
		{Undo, InEditor, []string{"ctrl+_", "ctrl+/", "ctrl+shift+-"}, "undo"},
		{Redo, InEditor, []string{"alt+/", "ctrl+shift+z"}, "redo"},
		{Expand, InEditor, []string{"alt+o"}, "write out the paste at the cursor"},
		{Edit, InEditor, []string{"ctrl+x ctrl+e"}, "go on in your editor, $VISUAL or $EDITOR"},
		{Attach, InEditor, []string{"ctrl+v"}, "put in the image that the clipboard has"},
	}
}
