package desktop

import (
	"context"
	"runtime"
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
	cmd, err := command(context.Background(), args)
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	go func() { _ = cmd.Wait() }() // it may run as long as the browser
	return nil
}
