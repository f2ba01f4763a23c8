package loop

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"agent/internal/llm/phrase"
	"agent/internal/loop/event"
	"agent/internal/loop/plan"
	"agent/internal/tools"
	"agent/internal/tools/intake"
)

//go:embed todo.md
var todoText string

const (
	maxTodo     = 50  // items of a plan
	maxTodoText = 200 // characters of an item
)

type todoArgs struct {
	Items []event.TodoItem `json:"items"`
}

// conversationTool is a turn.ConversationTool.
type conversationTool struct {
	tools.Tool                            // whose Spec the model gets
	forCall    func(id string) tools.Tool // returns the tool for one call
}

// ForCall returns the tool for the call of that ID.
func (t conversationTool) ForCall(id string) tools.Tool {
	call := t.forCall(id)
	tools.ShareSchema(call, t.Tool)
	return call
}

// Unwrap implements tools.Wrapper.
func (t conversationTool) Unwrap() tools.Tool { return t.Tool }

func newConversationTool(forCall func(id string) tools.Tool) conversationTool {
	return conversationTool{forCall(""), forCall}
}

// notPresented ends the result of the tool in permission mode plan: models that were
// trained on another tool for plans may take this one for it.
const notPresented = " The user approves a plan only if you present it with " + plan.Tool + "."

// newTodo returns the tool with which the model updates its todo list. mode returns the
// permission mode; it is nil if the model cannot present a plan.
func newTodo(rec *recorder, mode func() event.Mode) conversationTool {
	return newConversationTool(func(id string) tools.Tool { return todoTool(rec, mode, id) })
}

func todoTool(rec *recorder, mode func() event.Mode, id string) tools.Tool {
	return tools.New("todo", todoText, func(_ context.Context, args todoArgs) (tools.Call, error) {
		if err := args.check(); err != nil {
			return tools.Call{}, err
		}
		title := "clear the todo list"
		if n := len(args.Items); n > 0 {
			title = fmt.Sprintf("todo list of %s", phrase.Count(n, "item"))
		}
		return tools.Call{Title: title, Effect: tools.Read, Run: func(context.Context, tools.Approved) (tools.Result, error) {
			if err := rec.emit(&event.TodoSet{Meta: rec.meta(), ID: id, Items: args.Items}); err != nil {
				return tools.Result{}, err
			}
			result := args.result()
			if mode != nil && mode() == event.ModePlan {
				result.Text += notPresented
			}
			return result, nil
		}}, nil
	}, todoForm())
}

func todoForm() intake.Form {
	return intake.Form{
		Names:    []string{"todo_write", "write_todos", "update_plan", "manage_todo_list"},
		Aliases:  map[string][]string{"items": {"todos", "plan", "todo_list", "tasks"}},
		Harmless: []string{"merge=false", "operation=write"},
		Rewrite: func(a *intake.Args) error { // a text without a state
			items, texts := a.List("items"), false
			for i, item := range items {
				if item[0] == '"' {
					items[i], texts = slices.Concat([]byte(`{"state":"pending","text":`), item, []byte("}")), true
				}
			}
			if texts {
				a.Set("items", items)
			}
			return nil
		},
		Elements: map[string]intake.Form{"items": {
			Aliases: map[string][]string{"text": {"content", "step", "title", "task"}, "state": {"status"}},
			Values: map[string]map[string]string{"state": {
				"in_progress": "active", "completed": "done", "complete": "done", "finished": "done", "not_started": "pending", "todo": "pending",
			}},
			Harmless: []string{"id", "priority", "active_form"},
			Rewrite: func(a *intake.Args) error {
				if text := a.Text("description"); text != "" && !a.Has("text") {
					a.Remove("description")
					a.Set("text", text)
				}
				return nil
			},
		}},
	}
}

func (t todoArgs) check() error {
	if len(t.Items) > maxTodo {
		return fmt.Errorf("the list has %d items, at most %d are allowed: merge some of them", len(t.Items), maxTodo)
	}
	active := 0
	for i, item := range t.Items {
		switch n := utf8.RuneCountInString(item.Text); {
		case strings.TrimSpace(item.Text) == "":
			return fmt.Errorf("item %d has no text: describe the work", i+1)
		case n > maxTodoText:
			return fmt.Errorf("item %d has %d characters: shorten it to %d", i+1, n, maxTodoText)
		case strings.ContainsAny(item.Text, "\r\n"):
			return fmt.Errorf("item %d has more than one line: write one line, or split it into several items", i+1)
		}
		if item.State == event.TodoActive {
			active++
		}
	}
	if active > 1 {
		return fmt.Errorf("%d items are active: set only the one that you work on now to active", active)
	}
	return nil
}

func (t todoArgs) result() tools.Result {
	if len(t.Items) == 0 {
		return tools.Result{Text: "The todo list is empty."}
	}
	done, now := 0, ""
	for _, item := range t.Items {
		switch item.State {
		case event.TodoDone:
			done++
		case event.TodoActive:
			now = ", active: " + item.Text
		}
	}
	return tools.Result{
		Text:    fmt.Sprintf("Todo list saved: %d of %d done%s.", done, len(t.Items), now),
		Summary: fmt.Sprintf("%d done", done),
	}
}
