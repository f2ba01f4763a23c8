package desktop

import (
	"os"
	"os/exec"
	"runtime"

	"agent/cmd/agent/credentials"
)

// Browse opens a web page in the user's browser, and does not wait for it.
func Browse(url string) error {
	args := []string{"xdg-open", url}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler", url}
	}
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Env = credentials.Strip(os.Environ())
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // it may run as long as the browser
	return nil
}
