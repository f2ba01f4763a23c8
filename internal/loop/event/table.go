package event

import "reflect"

// row is one name of the vocabulary and the type that it stands for.
type row struct {
	name     string
	typ      reflect.Type
	internal bool // a command that another program cannot send
}

func named[T any](name string) row { return row{name: name, typ: reflect.TypeFor[T]()} }

func internal[T any](name string) row {
	return row{name: name, typ: reflect.TypeFor[T](), internal: true}
}

// durables, previews and commands are the only list of everything that crosses
// between the loop and a front end. Encode, Decode, the schema and the tests
// that look for a forgotten type are derived from it. Names in existing session
// logs stay.
var (
	durables = []row{
		named[UserSaid]("user"),
		named[Partial]("partial"),
		named[MessageDone]("message"),
		named[Decided]("decision"),
		named[ToolStart]("tool_start"),
		named[ToolEnd]("tool_end"),
		named[StepEnd]("step_end"),
		named[TurnEnd]("turn_end"),
		named[ModelSet]("model"),
		named[ModeSet]("mode"),
		named[Prefix]("prefix"),
		named[TodoSet]("todo"),
		named[Renamed]("rename"),
		named[Rewound]("rewind"),
		named[Compacted]("compact"),
		named[ShellStart]("shell_start"),
		named[ShellEnd]("shell_end"),
		named[ShellOutputSent]("shell_told"),
		named[DelegateStart]("delegate_start"),
		named[DelegateEnd]("delegate_end"),
		named[PlanSet]("plan"),
		named[PermissionRemoved]("permission_removed"),
		named[FilesChanged]("files_changed"),
		named[Undone]("undone"),
	}
	previews = []row{
		named[Streamed]("delta"),
		named[Progress]("progress"),
		named[Asked]("ask"),
		named[AskDone]("ask_done"),
		named[Retrying]("retrying"),
		named[RequestDone]("request_done"),
		named[JobsNow]("jobs"),
		named[Notice]("notice"),
		named[Unsent]("unsent"),
		named[NotRun]("not_run"),
		named[Summarizing]("summarizing"),
		named[ContextNow]("context"),
		named[Opened]("opened"),
		named[Unreadable]("unreadable"),
		named[Searched]("searched"),
		named[PermissionsNow]("permissions"),
		named[SandboxNow]("sandbox"),
		named[Explained]("explained"),
		named[BudgetNow]("budget"),
		named[DelegatesNow]("delegates"),
		named[HookNow]("hook"),
		named[Delegated]("delegated"),
		named[UndoPlan]("undo_plan"),
		named[ChangesNow]("changes"),
	}
	commands = []row{
		named[Prompt]("prompt"),
		named[Retry]("retry"),
		named[Interrupt]("interrupt"),
		named[Answer]("answer"),
		named[ListJobs]("list_jobs"),
		named[StopJob]("stop_job"),
		named[Rename]("rename"),
		named[Rewind]("rewind"),
		named[Compact]("compact"),
		named[EditContext]("edit_context"),
		named[ListContext]("list_context"),
		named[SaveDraft]("save_draft"),
		named[SetMode]("set_mode"),
		named[SetModel]("set_model"),
		named[SetWebSearch]("set_web_search"),
		named[SetBudget]("set_budget"),
		internal[Found]("found_model"),
		named[RunShell]("run_shell"),
		named[ListPermissions]("list_permissions"),
		named[ExplainPermission]("explain_permission"),
		named[RemovePermission]("remove_permission"),
		named[ListDelegates]("list_delegates"),
		named[StartDelegate]("start_delegate"),
		named[SteerDelegate]("steer_delegate"),
		named[StopDelegate]("stop_delegate"),
		named[DetachDelegate]("detach_delegate"),
		named[WatchDelegate]("watch_delegate"),
		named[PlanUndo]("plan_undo"),
		named[ApplyUndo]("apply_undo"),
		named[ListChanges]("list_changes"),
		named[UndoChanges]("undo_changes"),
		internal[Finish]("finish"),
	}
)

// nameOf returns the name of v's type in rows; empty if it has none.
func nameOf(rows []row, v any) string {
	t := reflect.TypeOf(v)
	if t == nil {
		return ""
	}
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, r := range rows {
		if r.typ == t {
			return r.name
		}
	}
	return ""
}

// blank returns a pointer to an empty value of the type called name; nil if no
// row has that name.
func blank(rows []row, name string) any {
	for _, r := range rows {
		if r.name == name {
			return reflect.New(r.typ).Interface()
		}
	}
	return nil
}

// ModelRecord is the name of ModelSet, by which the last model of a directory is
// found without reading the rest of its sessions.
const ModelRecord = "model"
