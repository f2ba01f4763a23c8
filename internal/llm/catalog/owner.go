package catalog

import (
	"cmp"
	"encoding/binary"
	"encoding/hex"
	"net/netip"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
)

// Owner classifies the user who runs a server on this machine.
type Owner int

// The owners.
const (
	Unknown Owner = iota // cannot be determined
	Foreign              // another user
	Trusted              // this user, root or a system account
)

// firstUser is the lowest user ID of ordinary users on Linux. Lower ones are
// system accounts.
const firstUser = 1000

// ownerOf returns who runs the server at a base URL on this machine. If several
// processes listen there, the least trusted one counts.
func (in Input) ownerOf(base string) Owner {
	u, err := url.Parse(base)
	if err != nil {
		return Unknown
	}
	port, err := strconv.ParseUint(cmp.Or(u.Port(), map[string]string{"http": "80", "https": "443"}[u.Scheme]), 10, 16)
	if err != nil {
		return Unknown
	}
	find := in.Listeners
	if find == nil {
		find = systemListeners
	}
	hosts := []string{u.Hostname()}
	if strings.EqualFold(u.Hostname(), "localhost") {
		hosts = []string{"127.0.0.1", "::1"}
	}
	owner := Unknown
	for _, host := range hosts {
		ip, err := netip.ParseAddr(host)
		if err != nil {
			return Unknown
		}
		for _, uid := range find(netip.AddrPortFrom(ip, uint16(port))) {
			if uid >= firstUser && uid != os.Getuid() {
				return Foreign
			}
			owner = Trusted
		}
	}
	return owner
}

// listeners returns the users whose sockets listen on an address. text has the
// format of /proc/net/tcp and /proc/net/tcp6.
func listeners(text string, at netip.AddrPort) (uids []int) {
	const local, state, user, least = 1, 3, 7, 8 // columns
	for line := range strings.Lines(text) {
		f := strings.Fields(line)
		if len(f) < least || f[state] != "0A" {
			continue
		}
		on, ok := parseSocket(f[local])
		if !ok || on.Port() != at.Port() {
			continue
		}
		ip, want := on.Addr().Unmap(), at.Addr().Unmap()
		every := ip == netip.IPv6Unspecified() || ip == netip.IPv4Unspecified() && want.Is4()
		uid, err := strconv.Atoi(f[user])
		if err == nil && (every || ip == want) && !slices.Contains(uids, uid) {
			uids = append(uids, uid)
		}
	}
	return uids
}

// parseSocket parses an address in the format of the kernel: 32-bit words in
// native byte order and the port, in hexadecimal.
func parseSocket(s string) (netip.AddrPort, bool) {
	address, port, _ := strings.Cut(s, ":")
	b, err := hex.DecodeString(address)
	n, bad := strconv.ParseUint(port, 16, 16)
	if err != nil || bad != nil {
		return netip.AddrPort{}, false
	}
	for i := 0; i+4 <= len(b); i += 4 {
		binary.NativeEndian.PutUint32(b[i:], binary.BigEndian.Uint32(b[i:]))
	}
	ip, ok := netip.AddrFromSlice(b)
	return netip.AddrPortFrom(ip, uint16(n)), ok
}

// Offers returns notices about servers that are not used automatically, and how
// to choose them.
func Offers(servers []Server) (all []string) {
	for _, s := range servers {
		if s.Owner != Trusted && len(s.Models) > 0 {
			all = append(all, offer(s.Owner, s.BaseURL, s.Row.Name+"/"+s.Models[0].Name))
		}
	}
	return all
}

func offer(owner Owner, base, model string) string {
	who := "belongs to another user"
	if owner == Unknown {
		who = "may belong to another user"
	}
	return "The server at " + hostOf(base) + " " + who + ", so it is not used automatically. Choose it with /model " + model + " or --model " + model + "."
}

// foreignNotice returns a notice if c is at a server of another user on this
// machine, otherwise "".
func (in Input) foreignNotice(c Choice) string {
	if !c.Provider.Local || !loopback(c.BaseURL) || in.ownerOf(c.BaseURL) != Foreign {
		return ""
	}
	return offer(Foreign, c.BaseURL, c.ID())
}

// confirmForeign is the question for a session that is continued at the server
// of another user.
func confirmForeign(c Choice) *Confirm {
	return &Confirm{
		Question: "Send the conversation to " + c.ID() + " at " + hostOf(c.BaseURL) + "?",
		Why:      "the server belongs to another user",
		Remedy:   "start with --model " + c.ID() + " to use it, or with another --model",
	}
}
