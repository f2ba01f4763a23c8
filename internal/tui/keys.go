package tui

import "slices"

// action is what a key does. Its name is what a configuration calls it by.
type action string

// fixed stands for keys that no configuration can change.
const fixed action = ""

// The actions.
const (
	actSend       action = "send"
	actQueue      action = "queue"
	actUnqueue    action = "unqueue"
	actNewline    action = "newline"
	actInterrupt  action = "interrupt"
	actClear      action = "clear"
	actLeave      action = "leave"
	actRewind     action = "rewind"
	actHelp       action = "help"
	actPrevPrompt action = "previous-prompt"
	actNextPrompt action = "next-prompt"
	actSearch     action = "search-prompts"
	actPalette    action = "palette"
	actMode       action = "mode"
	actModel      action = "model"
	actOpen       action = "open"
	actOpenAll    action = "open-all"
	actPageUp     action = "page-up"
	actPageDown   action = "page-down"
	actTop        action = "top"
	actBottom     action = "bottom"
	actJumpBack   action = "jump-back"
	actJumpOn     action = "jump-on"
	actFind       action = "find"
	actView       action = "view"
	actMouse      action = "mouse"
	actSuspend    action = "suspend"
	actRedraw     action = "redraw"

	actListUp   action = "list-up"
	actListDown action = "list-down"

	actEverywhere action = "everywhere"

	actComplete action = "complete"
	actDismiss  action = "dismiss"

	actOlder action = "older"
	actNewer action = "newer"

	actViewUp       action = "view-up"
	actViewDown     action = "view-down"
	actViewPageUp   action = "view-page-up"
	actViewPageDown action = "view-page-down"
	actViewHalfUp   action = "view-half-up"
	actViewHalfDown action = "view-half-down"
	actViewTop      action = "view-top"
	actViewBottom   action = "view-bottom"
	actViewFind     action = "view-find"
	actViewOlder    action = "view-older"
	actViewNewer    action = "view-newer"
	actViewClose    action = "view-close"

	actLineStart     action = "line-start"
	actLineEnd       action = "line-end"
	actWordLeft      action = "word-left"
	actWordRight     action = "word-right"
	actLeft          action = "left"
	actRight         action = "right"
	actEraseLeft     action = "erase-left"
	actEraseRight    action = "erase-right"
	actEraseWord     action = "erase-word"
	actErasePart     action = "erase-part"
	actEraseWordR    action = "erase-word-right"
	actEraseToHead   action = "erase-to-start"
	actEraseToTail   action = "erase-to-end"
	actYank          action = "yank"
	actYankOlder     action = "yank-older"
	actTextStart     action = "text-start"
	actTextEnd       action = "text-end"
	actStepRight     action = "step-right"
	actStepUp        action = "step-up"
	actMarkLeft      action = "mark-left"
	actMarkRight     action = "mark-right"
	actMarkWordLeft  action = "mark-word-left"
	actMarkWordRight action = "mark-word-right"
	actMarkUp        action = "mark-up"
	actMarkDown      action = "mark-down"
	actMarkStart     action = "mark-line-start"
	actMarkEnd       action = "mark-line-end"
	actCopyMarked    action = "copy-marked"
	actUpper         action = "upper-word"
	actLower         action = "lower-word"
	actCapital       action = "capital-word"
	actSwapWords     action = "swap-words"
	actSwapLetters   action = "swap-letters"
	actUndo          action = "undo"
	actRedo          action = "redo"
	actExpand        action = "expand"
	actEdit          action = "edit"
	actAttach        action = "attach"
)

// scope says where a binding holds.
type scope string

const (
	anywhere   scope = ""
	whileRuns  scope = "while a turn runs"
	onEmpty    scope = "on an empty prompt"
	inQuestion scope = "while a question waits"
	inList     scope = "in a list"
	inSessions scope = "while a session is chosen"
	inEditor   scope = "in the text"
	within     scope = "where text follows that way"
	finding    scope = "while the session is searched"
	inView     scope = "while everything is shown"
	suggesting scope = "while something is suggested or searched"
)

// binding ties keys to an action. Keys that are pressed one after the other are
// one of them: "ctrl+x ctrl+e".
type binding struct {
	action action
	where  scope
	keys   []string
	what   string // what the person is told; empty is not worth telling
}

// bindings is the one table of keys, in the order in which help tells them.
func bindings() []binding { return slices.Concat(screenKeys(), overlayKeys(), editorKeys()) }

// screenKeys are those that hold wherever one types.
func screenKeys() []binding {
	return []binding{
		{actSend, anywhere, []string{"enter"}, "send; while the model works, steer it"},
		{actQueue, anywhere, []string{"alt+enter"}, "send it once what runs has ended; up takes it back"},
		{actUnqueue, anywhere, []string{"alt+q"}, "remove the last message that waits so"},
		{actNewline, anywhere, []string{"shift+enter", "ctrl+j"}, `new line; so does \ before enter`},
		{actInterrupt, whileRuns, []string{"esc", "ctrl+c"}, "stop the turn, at any instant"},
		{actClear, anywhere, []string{"ctrl+c"}, "clear the prompt; on an empty one, twice, leave"},
		{actLeave, onEmpty, []string{"ctrl+d"}, "leave"},
		{actRewind, onEmpty, []string{"esc"}, "twice: take back what was said, to say it otherwise"},
		{actHelp, onEmpty, []string{"?"}, "this help"},
		{actPrevPrompt, anywhere, []string{"up"}, "earlier prompts, from the first line"},
		{actNextPrompt, anywhere, []string{"down", "ctrl+n"}, "later prompts, from the last line"},
		{actSearch, anywhere, []string{"ctrl+r"}, "search earlier prompts; again, older ones"},
		{actPalette, anywhere, []string{"ctrl+p"}, "all that can be done, to be searched"},
		{actMode, anywhere, []string{"shift+tab"}, "change what is asked about"},
		{actModel, anywhere, []string{"alt+p"}, "choose the model that answers"},
		{actOpen, anywhere, []string{"ctrl+o"}, "open or close the last output or thinking"},
		{actOpenAll, anywhere, []string{"ctrl+t"}, "open or close all of them"},
		{actPageUp, anywhere, []string{"pgup"}, "scroll up; so does the wheel"},
		{actPageDown, anywhere, []string{"pgdown"}, "scroll down"},
		{actTop, anywhere, []string{"ctrl+home"}, "to the beginning"},
		{actBottom, anywhere, []string{"ctrl+end"}, "to the end, and follow it"},
		{actJumpBack, anywhere, []string{"alt+up"}, "to the prompt above"},
		{actJumpOn, anywhere, []string{"alt+down"}, "to the prompt below, or the end"},
		{actFind, anywhere, []string{"ctrl+f"}, "search in the session"},
		{actView, anywhere, []string{"ctrl+g"}, "everything uncut, in all of the window"},
		{actMouse, anywhere, []string{"alt+m"}, "the mouse is ours, which marks, copies, opens and chooses, or the terminal's"},
		{actSuspend, anywhere, []string{"ctrl+z"}, "suspend the program"},
		{actRedraw, anywhere, []string{"ctrl+l"}, "draw all of the window anew"},
	}
}

// overlayKeys are those of what comes before the editor: questions, lists and
// suggestions.
func overlayKeys() []binding {
	return []binding{
		{fixed, inQuestion, []string{"up", "down"}, "move the marker to another row"},
		{fixed, inQuestion, []string{"enter"}, "answer with the marked row, or with the selected choices"},
		{fixed, inQuestion, []string{"1", "2", "3", "4", "5", "6", "7", "8"}, "answer with the row of that number, or select that choice where several may be selected"},
		{fixed, inQuestion, []string{"y", "n"}, "move the marker to Yes or No; any other text is the reason of a no, or an answer in your own words"},
		{fixed, inQuestion, []string{"space"}, "select the marked choice, where several may be selected"},
		{fixed, inQuestion, []string{"tab"}, "next hunk of the change; from a comment, back to the rows"},
		{fixed, inQuestion, []string{"shift+tab"}, "previous hunk of the change"},
		{fixed, inQuestion, []string{"ctrl+g"}, "full view of the change or the command; esc or q closes it"},
		{fixed, inQuestion, []string{"?"}, "show why the question is asked"},
		{fixed, inQuestion, []string{"pgup", "pgdown", "home", "end"}, "scroll the change or the command"},
		{fixed, inQuestion, []string{"esc"}, "reject and interrupt the turn; from a comment, back to the rows"},

		{actListUp, inList, []string{"up", "ctrl+p"}, "the one above"},
		{actListDown, inList, []string{"down", "ctrl+n"}, "the one below"},

		{actEverywhere, inSessions, []string{"tab"}, "those of all directories, or of this one"},

		{actComplete, suggesting, []string{"tab"}, "take what is marked"},
		{actDismiss, suggesting, []string{"esc"}, "as it was before"},

		{actOlder, finding, []string{"enter", "up", "ctrl+f"}, "to what is found above"},
		{actNewer, finding, []string{"down", "shift+enter"}, "to what is found below"},

		{actViewUp, inView, []string{"up", "k"}, "a line up"},
		{actViewDown, inView, []string{"down", "j", "enter"}, "a line down"},
		{actViewPageUp, inView, []string{"b", "pgup"}, "a page up"},
		{actViewPageDown, inView, []string{"space", "pgdown"}, "a page down"},
		{actViewHalfUp, inView, []string{"u", "ctrl+u"}, "half a page up"},
		{actViewHalfDown, inView, []string{"d", "ctrl+d"}, "half a page down"},
		{actViewTop, inView, []string{"g", "home", "<"}, "to the beginning"},
		{actViewBottom, inView, []string{"G", "end", ">", "F"}, "to the end, and follow it"},
		{actViewFind, inView, []string{"/", "ctrl+f"}, "search"},
		{actViewOlder, inView, []string{"n"}, "to what is found above"},
		{actViewNewer, inView, []string{"N"}, "to what is found below"},
		{actViewClose, inView, []string{"q", "esc", "ctrl+g"}, "close it"},
	}
}

// editorKeys are those of the text itself.
func editorKeys() []binding {
	return []binding{
		{actLineStart, inEditor, []string{"home", "ctrl+a"}, "start of the line"},
		{actLineEnd, inEditor, []string{"end", "ctrl+e"}, "end of the line"},
		{actWordLeft, inEditor, []string{"alt+left", "ctrl+left", "alt+b"}, "a word back"},
		{actWordRight, inEditor, []string{"alt+right", "ctrl+right", "alt+f"}, "a word on"},
		{actLeft, inEditor, []string{"left", "ctrl+b"}, ""},
		{actRight, inEditor, []string{"right"}, ""},
		{actEraseLeft, inEditor, []string{"backspace", "ctrl+h"}, ""},
		{actEraseRight, inEditor, []string{"delete", "ctrl+d"}, ""},
		{actEraseWord, inEditor, []string{"ctrl+w"}, "cut a word, back to a blank"},
		{actErasePart, inEditor, []string{"alt+backspace", "ctrl+backspace"}, "cut a word of letters"},
		{actEraseWordR, inEditor, []string{"alt+d", "alt+delete", "ctrl+delete"}, "cut the next word"},
		{actEraseToHead, inEditor, []string{"ctrl+u"}, "cut to the start of the line"},
		{actEraseToTail, inEditor, []string{"ctrl+k"}, "cut to the end of the line"},
		{actYank, inEditor, []string{"ctrl+y"}, "put back what was cut"},
		{actYankOlder, inEditor, []string{"alt+y"}, "in its place, what was cut before"},
		{actTextStart, inEditor, []string{"alt+<", "alt+shift+,"}, "start of all that is typed"},
		{actTextEnd, inEditor, []string{"alt+>", "alt+shift+."}, "end of all that is typed"},
		{actStepRight, within, []string{"ctrl+f"}, "a letter on; at the end, search in the session"},
		{actStepUp, within, []string{"ctrl+p"}, "a row up; in the first one, all that can be done"},
		{actMarkLeft, inEditor, []string{"shift+left"}, "mark a letter, to type over it or to cut it; so do the other moves"},
		{actMarkRight, inEditor, []string{"shift+right"}, ""},
		{actMarkWordLeft, inEditor, []string{"ctrl+shift+left", "alt+shift+left"}, ""},
		{actMarkWordRight, inEditor, []string{"ctrl+shift+right", "alt+shift+right"}, ""},
		{actMarkUp, inEditor, []string{"shift+up"}, ""},
		{actMarkDown, inEditor, []string{"shift+down"}, ""},
		{actMarkStart, inEditor, []string{"shift+home"}, ""},
		{actMarkEnd, inEditor, []string{"shift+end"}, ""},
		{actCopyMarked, inEditor, []string{"alt+w"}, "copy what is marked; ctrl+w cuts it"},
		{actUpper, inEditor, []string{"alt+u"}, "the next word in capitals"},
		{actLower, inEditor, []string{"alt+l"}, "the next word in small letters"},
		{actCapital, inEditor, []string{"alt+c"}, "a capital for the next word"},
		{actSwapWords, inEditor, []string{"alt+t"}, "swap two words"},
		{actSwapLetters, inEditor, []string{"ctrl+x ctrl+t"}, "swap two letters"},
		{actUndo, inEditor, []string{"ctrl+_", "ctrl+/", "ctrl+shift+-"}, "undo"},
		{actRedo, inEditor, []string{"alt+/", "ctrl+shift+z"}, "redo"},
		{actExpand, inEditor, []string{"alt+o"}, "write out the paste at the cursor"},
		{actEdit, inEditor, []string{"ctrl+x ctrl+e"}, "go on in your editor, $VISUAL or $EDITOR"},
		{actAttach, inEditor, []string{"ctrl+v"}, "put in the image that the clipboard has"},
	}
}
