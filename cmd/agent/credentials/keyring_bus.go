//go:build !windows && !darwin

package credentials

import (
	"fmt"
	"os"
	"strings"
)

// KeyringAvailable reports whether there is a session bus, through which the keyring
// is reached. It does not connect, because that can start a bus.
func KeyringAvailable() bool {
	if a := os.Getenv("DBUS_SESSION_BUS_ADDRESS"); a != "" && a != "autolaunch:" {
		path, isPath := strings.CutPrefix(a, "unix:path=")
		path, _, _ = strings.Cut(path, ",")
		_, err := os.Stat(path)
		return !isPath || err == nil
	}
	_, err := os.Stat(fmt.Sprintf("/run/user/%d/bus", os.Getuid()))
	return err == nil
}
