package keys

import "slices"

// Action names what a key does. The configuration uses these names.
type Action string

// Fixed is the action of keys that the configuration cannot change.
const Fixed Action = ""

// The actions of keys that the configuration can change.
const (
	Send         Action = "send"
	Queue        Action = "queue"
	Unqueue      Action = "unqueue"
	Newline      Action = "newline"
	Interrupt    Action = "interrupt"
	Clear        Action = "clear"
	Quit         Action = "quit"
	Rewind       Action = "rewind"
	Help         Action = "help"
	PrevPrompt   Action = "previous-prompt"
	NextPrompt   Action = "next-prompt"
	Search       Action = "search-prompts"
	Palette      Action = "palette"
	Mode         Action = "mode"
	Model        Action = "model"
	Agents       Action = "agents"
	Open         Action = "open"
	OpenAll      Action = "open-all"
	PageUp       Action = "page-up"
	PageDown     Action = "page-down"
	Top          Action = "top"
	Bottom       Action = "bottom"
	PreviousTurn Action = "previous-turn"
	NextTurn     Action = "next-turn"
	Find         Action = "find"
	View         Action = "view"
	Mouse        Action = "mouse"
	Suspend      Action = "suspend"
	Redraw       Action = "redraw"

	ListUp   Action = "list-up"
	ListDown Action = "list-down"

	ToggleScope Action = "toggle-scope"

	SteerDelegate  Action = "steer-delegate"
	StopDelegate   Action = "stop-delegate"
	DetachDelegate Action = "detach-delegate"

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

	LineStart       Action = "line-start"
	LineEnd         Action = "line-end"
	WordLeft        Action = "word-left"
	WordRight       Action = "word-right"
	Left            Action = "left"
	Right           Action = "right"
	DeleteLeft      Action = "delete-left"
	DeleteRight     Action = "delete-right"
	DeleteWord      Action = "delete-word"
	DeleteWordLeft  Action = "delete-word-left"
	DeleteWordRight Action = "delete-word-right"
	DeleteToStart   Action = "delete-to-start"
	DeleteToEnd     Action = "delete-to-end"
	Yank            Action = "yank"
	YankOlder       Action = "yank-older"
	TextStart       Action = "text-start"
	TextEnd         Action = "text-end"
	RightOrFind     Action = "right-or-find"
	UpOrPalette     Action = "up-or-palette"
	SelectLeft      Action = "select-left"
	SelectRight     Action = "select-right"
	SelectWordLeft  Action = "select-word-left"
	SelectWordRight Action = "select-word-right"
	SelectUp        Action = "select-up"
	SelectDown      Action = "select-down"
	SelectStart     Action = "select-line-start"
	SelectEnd       Action = "select-line-end"
	CopySelection   Action = "copy-selection"
	Upper           Action = "uppercase-word"
	Lower           Action = "lowercase-word"
	Capital         Action = "capitalize-word"
	SwapWords       Action = "swap-words"
	SwapLetters     Action = "swap-letters"
	Undo            Action = "undo"
	Redo            Action = "redo"
	Expand          Action = "expand"
	Edit            Action = "edit"
	Attach          Action = "attach"
)

// Scope is the part of the screen or the state in which a binding is active.
type Scope string

const (
	Anywhere     Scope = ""
	WhileRuns    Scope = "while a turn runs"
	onEmpty      Scope = "on an empty prompt"
	inQuestion   Scope = "in a permission dialog or question"
	inReview     Scope = "while you decide on a change hunk by hunk"
	inList       Scope = "in a list"
	inSessions   Scope = "in the session picker"
	inAgents     Scope = "in the list of delegates, and in the transcript of one"
	InEditor     Scope = "in the prompt editor"
	InLine       Scope = "in the prompt editor, depending on the cursor"
	InSearch     Scope = "in transcript search"
	inView       Scope = "in the full-screen transcript"
	InCompletion Scope = "in completion or search"
)

// Binding binds keys to an action. A key can be a sequence: "ctrl+x ctrl+e".
type Binding struct {
	Action Action
	Where  Scope
	Keys   []string
	What   string // the description in help; empty hides the binding there
}

// Bindings returns the default key bindings, in the order in which help lists them.
func Bindings() []Binding { return slices.Concat(screenKeys(), overlayKeys(), editorKeys()) }

// screenKeys returns the bindings that work in the main view.
func screenKeys() []Binding {
	return []Binding{
		{Send, Anywhere, []string{"enter"}, "send; during a turn, steer the model"},
		{Queue, Anywhere, []string{"alt+enter"}, "queue the message until the turn ends"},
		{Unqueue, Anywhere, []string{"alt+q"}, "remove the last queued message"},
		{Newline, Anywhere, []string{"shift+enter", "ctrl+j"}, `insert a newline (or type \ before enter)`},
		{Interrupt, WhileRuns, []string{"esc", "ctrl+c"}, "interrupt the turn"},
		{Clear, Anywhere, []string{"ctrl+c"}, "clear the prompt; press twice on an empty prompt to quit"},
		{Quit, onEmpty, []string{"ctrl+d"}, "quit"},
		{Rewind, onEmpty, []string{"esc"}, "press twice: edit a previous message"},
		{Help, onEmpty, []string{"?"}, "show this help"},
		{PrevPrompt, Anywhere, []string{"up"}, "show the previous prompt (cursor on the first line)"},
		{NextPrompt, Anywhere, []string{"down", "ctrl+n"}, "show the next prompt (cursor on the last line)"},
		{Search, Anywhere, []string{"ctrl+r"}, "search prompt history; again: older matches"},
		{Palette, Anywhere, []string{"ctrl+p"}, "open the command palette"},
		{Mode, Anywhere, []string{"shift+tab"}, "cycle the permission mode; in a dialog that shows the key, switch between the modes ask and auto"},
		{Model, Anywhere, []string{"alt+p"}, "choose a model"},
		{Agents, Anywhere, []string{"alt+a"}, "list delegates and agents"},
		{Open, Anywhere, []string{"ctrl+o"}, "expand or collapse the last tool output or reasoning"},
		{OpenAll, Anywhere, []string{"ctrl+t"}, "expand or collapse all tool output and reasoning"},
		{PageUp, Anywhere, []string{"pgup"}, "scroll up one page"},
		{PageDown, Anywhere, []string{"pgdown"}, "scroll down one page"},
		{Top, Anywhere, []string{"ctrl+home"}, "jump to the beginning"},
		{Bottom, Anywhere, []string{"ctrl+end"}, "jump to the end and follow new output"},
		{PreviousTurn, Anywhere, []string{"alt+up"}, "jump to the previous prompt in the transcript"},
		{NextTurn, Anywhere, []string{"alt+down"}, "jump to the next prompt in the transcript, or to the end"},
		{Find, Anywhere, []string{"ctrl+f"}, "search the transcript"},
		{View, Anywhere, []string{"ctrl+g"}, "open the full-screen transcript"},
		{Mouse, Anywhere, []string{"alt+m"}, "toggle mouse capture"},
		{Suspend, Anywhere, []string{"ctrl+z"}, "suspend the program"},
		{Redraw, Anywhere, []string{"ctrl+l"}, "redraw the screen"},
	}
}

// overlayKeys returns the bindings of what takes keys before the editor: dialogs,
// lists, completion, search and the full-screen transcript.
func overlayKeys() []Binding {
	return []Binding{
		{Fixed, inQuestion, []string{"up", "down"}, "move to another row"},
		{Fixed, inQuestion, []string{"enter"}, "answer with the current row, or submit the selected choices"},
		{Fixed, inQuestion, []string{"1", "2", "3", "4", "5", "6", "7", "8"}, "answer with the row of that number; in a multiple-choice question, select it"},
		{Fixed, inQuestion, []string{"y", "n"}, "move to Yes or No; any other text rejects with a message, or is your own answer"},
		{Fixed, inQuestion, []string{"space"}, "in a multiple-choice question, select or deselect the current choice"},
		{Fixed, inQuestion, []string{"tab"}, "decide on the change hunk by hunk; in a comment, back to the rows"},
		{Fixed, inQuestion, []string{"ctrl+g"}, "show the diff, the command or the plan full screen; esc or q closes it"},
		{Fixed, inQuestion, []string{"?"}, "show why permission is needed"},
		{Fixed, inQuestion, []string{"pgup", "pgdown", "home", "end"}, "scroll the diff, the command or the plan"},
		{Fixed, inQuestion, []string{"ctrl+e"}, "edit the plan in the dialog"},
		{Fixed, inQuestion, []string{"ctrl+s"}, "while you edit the plan: finish; esc discards the edit"},
		{Fixed, inQuestion, []string{"ctrl+x ctrl+e"}, "edit the plan in $VISUAL or $EDITOR"},
		{Fixed, inQuestion, []string{"esc"}, "reject and interrupt the turn; if a delegate asks, only reject; in a comment, back to the rows"},

		{Fixed, inReview, []string{"tab", "shift+tab"}, "show the next or the previous hunk"},
		{Fixed, inReview, []string{"y", "n"}, "accept or reject the hunk, and show the next one"},
		{Fixed, inReview, []string{"Y", "N"}, "accept or reject all hunks"},
		{Fixed, inReview, []string{"up", "down", "pgup", "pgdown", "home", "end"}, "move to another line"},
		{Fixed, inReview, []string{"c"}, "comment on the current line; empty text removes the comment"},
		{Fixed, inReview, []string{"e"}, "edit the new lines of the hunk in $VISUAL or $EDITOR; an empty file rejects the hunk"},
		{Fixed, inReview, []string{"u"}, "undo the edit of the hunk; in /changes, undo the hunk"},
		{Fixed, inReview, []string{"k"}, "in /changes, keep the hunk"},
		{Fixed, inReview, []string{"K", "U"}, "in /changes, keep or undo all hunks"},
		{Fixed, inReview, []string{"esc", "enter"}, "go back to the question, which applies what you accepted when you approve it"},

		{ListUp, inList, []string{"up", "ctrl+p"}, "select the previous item"},
		{ListDown, inList, []string{"down", "ctrl+n"}, "select the next item"},

		{ToggleScope, inSessions, []string{"tab"}, "show sessions of all directories or this one"},

		{SteerDelegate, inAgents, []string{"ctrl+s"}, "send a message to the delegate"},
		{StopDelegate, inAgents, []string{"ctrl+x"}, "stop the delegate"},
		{DetachDelegate, inAgents, []string{"ctrl+b"}, "let the delegate continue in the background"},

		{Complete, InCompletion, []string{"tab"}, "accept the selected suggestion"},
		{Dismiss, InCompletion, []string{"esc"}, "close suggestions or search and restore the text"},

		{Older, InSearch, []string{"enter", "up", "ctrl+f"}, "previous match"},
		{Newer, InSearch, []string{"down", "shift+enter"}, "next match"},

		{ViewUp, inView, []string{"up", "k"}, "scroll up one line"},
		{ViewDown, inView, []string{"down", "j", "enter"}, "scroll down one line"},
		{ViewPageUp, inView, []string{"b", "pgup"}, "scroll up one page"},
		{ViewPageDown, inView, []string{"space", "pgdown"}, "scroll down one page"},
		{ViewHalfUp, inView, []string{"u", "ctrl+u"}, "scroll up half a page"},
		{ViewHalfDown, inView, []string{"d", "ctrl+d"}, "scroll down half a page"},
		{ViewTop, inView, []string{"g", "home", "<"}, "jump to the beginning"},
		{ViewBottom, inView, []string{"G", "end", ">", "F"}, "jump to the end and follow new output"},
		{ViewFind, inView, []string{"/", "ctrl+f"}, "search"},
		{ViewNewer, inView, []string{"n"}, "next match"},
		{ViewOlder, inView, []string{"N"}, "previous match"},
		{ViewClose, inView, []string{"q", "esc", "ctrl+g"}, "close the full-screen transcript"},
	}
}

// editorKeys returns the bindings that edit the prompt and move its cursor.
func editorKeys() []Binding {
	return []Binding{
		{LineStart, InEditor, []string{"home", "ctrl+a"}, "move to the start of the line"},
		{LineEnd, InEditor, []string{"end", "ctrl+e"}, "move to the end of the line"},
		{WordLeft, InEditor, []string{"alt+left", "ctrl+left", "alt+b"}, "move left one word"},
		{WordRight, InEditor, []string{"alt+right", "ctrl+right", "alt+f"}, "move right one word"},
		{Left, InEditor, []string{"left", "ctrl+b"}, ""},
		{Right, InEditor, []string{"right"}, ""},
		{DeleteLeft, InEditor, []string{"backspace", "ctrl+h"}, ""},
		{DeleteRight, InEditor, []string{"delete", "ctrl+d"}, ""},
		{DeleteWord, InEditor, []string{"ctrl+w"}, "delete back to whitespace"},
		{DeleteWordLeft, InEditor, []string{"alt+backspace", "ctrl+backspace"}, "delete the previous word"},
		{DeleteWordRight, InEditor, []string{"alt+d", "alt+delete", "ctrl+delete"}, "delete the next word"},
		{DeleteToStart, InEditor, []string{"ctrl+u"}, "delete to the start of the line"},
		{DeleteToEnd, InEditor, []string{"ctrl+k"}, "delete to the end of the line"},
		{Yank, InEditor, []string{"ctrl+y"}, "paste the last deleted text (yank)"},
		{YankOlder, InEditor, []string{"alt+y"}, "replace the pasted text with the previous deleted text (yank-pop)"},
		{TextStart, InEditor, []string{"alt+<", "alt+shift+,"}, "move to the start of the prompt"},
		{TextEnd, InEditor, []string{"alt+>", "alt+shift+."}, "move to the end of the prompt"},
		{RightOrFind, InLine, []string{"ctrl+f"}, "move the cursor right; at the end, search the transcript"},
		{UpOrPalette, InLine, []string{"ctrl+p"}, "move the cursor up; on the first line, open the command palette"},
		{SelectLeft, InEditor, []string{"shift+left"}, "extend the selection left (shift works with every cursor key)"},
		{SelectRight, InEditor, []string{"shift+right"}, ""},
		{SelectWordLeft, InEditor, []string{"ctrl+shift+left", "alt+shift+left"}, ""},
		{SelectWordRight, InEditor, []string{"ctrl+shift+right", "alt+shift+right"}, ""},
		{SelectUp, InEditor, []string{"shift+up"}, ""},
		{SelectDown, InEditor, []string{"shift+down"}, ""},
		{SelectStart, InEditor, []string{"shift+home"}, ""},
		{SelectEnd, InEditor, []string{"shift+end"}, ""},
		{CopySelection, InEditor, []string{"alt+w"}, "copy the selection (ctrl+w cuts it)"},
		{Upper, InEditor, []string{"alt+u"}, "uppercase the next word"},
		{Lower, InEditor, []string{"alt+l"}, "lowercase the next word"},
		{Capital, InEditor, []string{"alt+c"}, "capitalize the next word"},
		{SwapWords, InEditor, []string{"alt+t"}, "swap the words around the cursor"},
		{SwapLetters, InEditor, []string{"ctrl+x ctrl+t"}, "swap the characters around the cursor"},
		{Undo, InEditor, []string{"ctrl+_", "ctrl+/", "ctrl+shift+-"}, "undo"},
		{Redo, InEditor, []string{"alt+/", "ctrl+shift+z"}, "redo"},
		{Expand, InEditor, []string{"alt+o"}, "expand the paste at the cursor"},
		{Edit, InEditor, []string{"ctrl+x ctrl+e"}, "edit the prompt in $VISUAL or $EDITOR"},
		{Attach, InEditor, []string{"ctrl+v"}, "paste an image from the clipboard"},
	}
}
