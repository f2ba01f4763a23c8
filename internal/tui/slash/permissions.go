package slash

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
	"agent/internal/tui/screen"
)

// permissions is the state of /permissions.
type permissions struct {
	output
	agent  *screen.Sender
	short  func(source string) string // shortens it for the screen
	shown  bool                       // a list is on the screen
	listed []event.Permission         // as numbered on the screen
}

// errPermissions is the usage of /permissions.
var errPermissions = errors.New("usage: /permissions [explain COMMAND | remove N]")

// permissionsCommand lists the rules and standing permissions, explains how a command
// would be judged, or removes a permission by its number in the list.
func permissionsCommand(s *Session, arg string) (tea.Cmd, error) {
	p := s.permissions
	verb, rest, _ := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case arg == "":
		p.agent.SendCommand(event.ListPermissions{Ref: screen.Await(&p.agent.Answers, p.show)})
	case verb == "explain" && rest != "":
		p.agent.SendCommand(event.ExplainPermission{Ref: screen.Await(&p.agent.Answers, p.explain), Line: rest})
	case verb == "remove" && rest != "":
		return nil, p.remove(rest)
	default:
		return nil, errPermissions
	}
	return nil, nil
}

// remove removes the permission with a number in the list that was shown last.
func (p *permissions) remove(number string) error {
	n, err := strconv.Atoi(number)
	all := p.listed
	switch {
	case err != nil:
		return errPermissions
	case !p.shown:
		return errors.New("list the permissions first: /permissions")
	case len(all) == 0:
		return errors.New("there are no permissions to remove")
	case n < 1 || n > len(all):
		return fmt.Errorf("there is no permission %d in the list: use 1 to %d", n, len(all))
	case !all[n-1].Removable:
		remedy := ". Change it there."
		if strings.HasPrefix(all[n-1].Source, "--") {
			remedy = ". Start agent without that flag to remove it."
		}
		p.Say("Permission " + number + " comes from " + p.short(all[n-1].Source) + remedy)
		return nil
	}
	p.agent.SendCommand(event.RemovePermission{ID: all[n-1].ID})
	return nil
}

// show shows the permissions.
func (p *permissions) show(now event.PermissionsNow) {
	p.shown, p.listed = true, now.Permissions
	f := &Properties{Rows: [][2]string{{"mode", now.Mode.Name()}}}
	for i, rule := range now.Permissions {
		text := ink.SanitizeLine(rule.Text)
		if !strings.HasSuffix(rule.Text, rule.Source) { // "in this project"
			text += " (" + p.short(rule.Source) + ")"
		}
		f.Rows = append(f.Rows, [2]string{strconv.Itoa(i + 1), text})
	}
	if len(now.Permissions) == 0 {
		f.Rows = append(f.Rows, [2]string{"", "no rules and no standing permissions"})
	}
	if now.File != "" {
		f.Rows = append(f.Rows, [2]string{"file", p.short(now.File)})
	}
	p.Show(f)
}

// explain shows how a command would be judged.
func (p *permissions) explain(e event.Explained) {
	var lines []string
	for _, l := range e.Lines {
		lines = append(lines, ink.SanitizeLine(l))
	}
	p.Say(strings.Join(lines, "\n"))
}

// short returns a source or a path, with ~ for the home directory.
func (s *Session) short(source string) string {
	if short := s.Options.Files.ShortDir; short != nil {
		source = short(source)
	}
	return ink.SanitizeLine(source)
}
