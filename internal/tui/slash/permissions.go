package slash

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"agent/internal/loop/event"
	"agent/internal/tui/ink"
)

// permissions is the state of /permissions.
type permissions struct {
	listing bool               // show the next PermissionsNow
	waiting bool               // for a list or an explanation
	shown   bool               // a list is on the screen
	listed  []event.Permission // as numbered on the screen
}

// errPermissions is the usage of /permissions.
var errPermissions = errors.New("usage: /permissions [explain COMMAND | remove N]")

// permissionsCommand lists the rules and standing permissions, explains how a command
// would be judged, or removes a permission by its number in the list.
func permissionsCommand(s *Session, arg string) (tea.Cmd, error) {
	verb, rest, _ := strings.Cut(arg, " ")
	rest = strings.TrimSpace(rest)
	switch {
	case arg == "":
		s.permissions.listing, s.permissions.waiting = true, true
		s.SendCommand(event.ListPermissions{})
	case verb == "explain" && rest != "":
		s.permissions.waiting = true
		s.SendCommand(event.ExplainPermission{Line: rest})
	case verb == "remove" && rest != "":
		return nil, s.removePermission(rest)
	default:
		return nil, errPermissions
	}
	return nil, nil
}

// removePermission removes the permission with a number in the list that was shown last.
func (s *Session) removePermission(number string) error {
	n, err := strconv.Atoi(number)
	all := s.permissions.listed
	switch {
	case err != nil:
		return errPermissions
	case !s.permissions.shown:
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
		s.Say("Permission " + number + " comes from " + s.short(all[n-1].Source) + remedy)
		return nil
	}
	s.SendCommand(event.RemovePermission{ID: all[n-1].ID})
	return nil
}

// showPermissions shows the permissions, if /permissions or /status requested them.
func (s *Session) showPermissions(now event.PermissionsNow) {
	s.addPermissions(now.Permissions)
	if !s.permissions.listing {
		return
	}
	s.permissions.listing, s.permissions.waiting, s.permissions.shown, s.permissions.listed = false, false, true, now.Permissions
	f := &Facts{Rows: [][2]string{{"mode", now.Mode.Label()}}}
	for i, p := range now.Permissions {
		text := ink.SanitizeLine(p.Text)
		if !strings.HasSuffix(p.Text, p.Source) { // "in this project"
			text += " (" + s.short(p.Source) + ")"
		}
		f.Rows = append(f.Rows, [2]string{strconv.Itoa(i + 1), text})
	}
	if len(now.Permissions) == 0 {
		f.Rows = append(f.Rows, [2]string{"", "no rules and no standing permissions"})
	}
	if now.File != "" {
		f.Rows = append(f.Rows, [2]string{"file", s.short(now.File)})
	}
	s.Transcript.Add(f)
	s.Transcript.ShowEnd()
}

// short returns a source or a path, with ~ for the home directory.
func (s *Session) short(source string) string {
	if short := s.Options.Files.ShortDir; short != nil {
		source = short(source)
	}
	return ink.SanitizeLine(source)
}

// showExplained shows how a command would be judged.
func (s *Session) showExplained(e event.Explained) {
	s.permissions.waiting = false
	var lines []string
	for _, l := range e.Lines {
		lines = append(lines, ink.SanitizeLine(l))
	}
	s.Say(strings.Join(lines, "\n"))
}
