package loop_test

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"agent/internal/history"
	"agent/internal/llm/script"
	"agent/internal/loop/event"
	"agent/internal/tools"
)

// The ToolStart of a call with effects is synced before the call runs. That of a
// read-only call and everything before it is synced within a second. Results and the
// end of the turn are synced at once.
func TestSynced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		log := history.Open(t.TempDir()).Create(history.Header{})
		var got []string
		see := func(when string) {
			if log.Unsynced() {
				when += ": in danger"
			}
			got = append(got, when)
		}
		tool := func(effect tools.Effect) tools.Tool {
			return tools.New(string(effect), "takes long", func(_ context.Context, a textArgs) (tools.Call, error) {
				return tools.Call{Title: a.Text, Effect: effect, Run: func(context.Context, tools.Approved) (tools.Result, error) {
					see(a.Text + " begins")
					time.Sleep(2 * time.Second)
					synctest.Wait()
					see(a.Text + " ends")
					return tools.Result{}, nil
				}}, nil
			})
		}
		o := options(script.New(
			script.Call("c1", string(tools.Read), args("reading")),
			script.Call("c2", string(tools.Write), args("writing")),
			script.Call("c3", string(tools.Delegate), args("delegating")),
			script.Say("done"),
		), tool(tools.Read), tool(tools.Write), tool(tools.Delegate))
		o.Log = log
		play(t, o, []string{"go"}, func(e event.Event) []event.Command {
			switch e.(type) {
			case *event.UserSaid:
				see("prompt")
			case *event.TurnEnd:
				see("turn")
			}
			return nil
		})
		want := []string{"prompt", "reading begins: in danger", "reading ends", "writing begins", "writing ends", "delegating begins", "delegating ends", "turn"}
		if d := cmp.Diff(got, want); d != "" {
			t.Errorf("(-got +want)\n%s", d)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	})
}
