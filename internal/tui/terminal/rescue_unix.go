//go:build linux || darwin

package terminal

import (
	"bytes"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"

	"golang.org/x/sys/unix"

	"agent/internal/tui/terminal/rescue"
)

// rescuer is the rescue process of this program.
type rescuer struct {
	process int // process ID
	orders  *os.File
	stderr  int // duplicate of the original standard error; negative if it is not redirected
}

// callRescuer starts the rescue process for a raw terminal whose state was found
// before. fault is the path of the crash report. It returns nil if the process
// cannot be started: the program works without it, but then a crash leaves the
// terminal raw.
func callRescuer(t *tty, found []byte, fault string) *rescuer {
	raw := t.state()
	if !rescue.Dispatched() || t.screen == nil || fault == "" || found == nil || raw == nil {
		return nil
	}
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil
	}
	defer theirs.Close()
	shrink(ours)
	_ = syscall.SetNonblock(int(ours.Fd()), false) // the crash output blocks until it is read
	self, err := program()
	if err != nil {
		ours.Close()
		return nil
	}
	// Package os/exec would try out first what the system can do with processes,
	// by starting one, and the first frame waits for this.
	const nothing = ^uintptr(0)
	pid, err := syscall.ForkExec(self, []string{rescue.Name}, &syscall.ProcAttr{
		Dir: "/", Files: []uintptr{nothing, t.screen.Fd(), nothing, theirs.Fd()}, Sys: &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		ours.Close()
		return nil
	}
	r := &rescuer{orders: ours, stderr: -1, process: pid}
	order := rescue.Order{Found: found, Raw: raw, Modes: everythingOff(), Report: fault}
	order.Say = fmt.Sprintf("agent: crashed. The crash report is in %s\r\n"+
		"The conversation is saved. Run 'agent --continue' to resume it.\r\n", order.Report)
	_, err = ours.Write(order.Encode())
	if err == nil {
		err = debug.SetCrashOutput(ours, debug.CrashOptions{})
	}
	if err != nil {
		r.dismiss()
		return nil
	}
	debug.SetTraceback("all")
	return r
}

// dismiss tells the rescue process that the terminal is restored, and waits for its exit.
func (r *rescuer) dismiss() {
	if r == nil {
		return
	}
	r.loud()
	_ = debug.SetCrashOutput(nil, debug.CrashOptions{})
	_, _ = r.orders.Write([]byte{rescue.ExitClean})
	_ = r.orders.Close()
	for {
		if _, err := syscall.Wait4(r.process, nil, 0, nil); err != syscall.EINTR {
			return
		}
	}
}

// hush redirects standard error away from the terminal, because the rescue process
// reports crashes.
func (r *rescuer) hush() {
	if r == nil || r.stderr >= 0 || terminalFile(os.Stderr) == nil {
		return
	}
	nowhere, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	if err != nil {
		return
	}
	defer nowhere.Close()
	if r.stderr, err = unix.FcntlInt(2, unix.F_DUPFD_CLOEXEC, 3); err == nil {
		_ = redirect(int(nowhere.Fd()), 2)
	}
}

// loud undoes hush.
func (r *rescuer) loud() {
	if r == nil || r.stderr < 0 {
		return
	}
	_ = redirect(r.stderr, 2)
	_ = unix.Close(r.stderr)
	r.stderr = -1
}

// everythingOff returns the sequences that reset every mode that may be set.
func everythingOff() string {
	all := modes{paste: true, focus: true, title: "agent", cursor: 1, letters: true}
	all.mouse, all.bar.State = 1, 1
	var b bytes.Buffer
	all.change(&b, modes{})
	return b.String() + giveScreen
}
