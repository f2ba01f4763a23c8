package loop_test

import (
	"crypto/tls"
	"fmt"
	"net/http"
	"strings"
	"syscall"
	"time"

	"agent/internal/llm/wire"
	"agent/internal/loop/event"
)

// early returns the scene of a fault before a reply: at the request with a prompt, or
// at the request with a tool result.
func early(scenery func(st *stage) scene) func(*stage, phase) scene {
	return func(st *stage, p phase) scene {
		sc := scenery(st)
		if p == inText {
			return sc
		}
		stream := called(st.d, "c0", args("x"))
		first := sse(stream)
		if sc.dials != nil { // the next request needs a connection of its own
			first = lastOn(stream)
			sc.dials = append([]dial{nil}, sc.dials...)
		}
		sc.acts = append([]act{first}, sc.acts...)
		sc.before = 1
		sc.want = `
			call c0 look {"text":"x"}
			start c0 "look x"
			end c0 "look x" ok: did x` + sc.want
		return sc
	}
}

// lastOn responds with a stream and "Connection: close". Without the header, the client
// could already be writing the next request when the connection closes.
func lastOn(stream string) act {
	return func(p *peer) bool {
		p.head("text/event-stream", "Connection: close")
		for _, e := range events(stream) {
			p.chunk(e)
		}
		p.write("0\r\n\r\n")
		return false
	}
}

// retried is the expected end of a turn whose last attempt works.
const retried = `
	assistant "fine"
	turn done
	requests %d`

// reset is the system's error text for a reset connection.
var reset = syscall.ECONNRESET.Error()

// networkFaults are the faults before a server receives a request.
func networkFaults() []fault {
	return []fault{
		{n: 1, name: "no such host", scene: early(func(st *stage) scene {
			missing := resolved("nowhere.invalid", noSuchName)
			return scene{dials: []dial{missing, missing}, want: `
				retrying 2 of 2 in 1s: test: cannot resolve host nowhere.invalid | Check the network and the base URL BASE.
				turn error: test: cannot resolve host nowhere.invalid | Check the network and the base URL BASE. Press Enter to retry.
				requests 0`}
		})},
		{n: 2, name: "no name server", scene: early(func(st *stage) scene {
			return scene{dials: []dial{resolved("nowhere.invalid", st.noNameServer()), resolved("nowhere.invalid", st.noNameServer())}, want: `
				retrying 2 in 1s: test: timed out resolving 127.0.0.1 | Check the network and the base URL BASE.
				retrying 3 in 2s: test: timed out resolving 127.0.0.1 | Check the network and the base URL BASE.` + again(1)}
		})},
		{n: 3, name: "connection refused", scene: early(func(st *stage) scene {
			return scene{dials: []dial{closed}, want: `
				turn error: test: nothing is listening on HOST | Check the base URL BASE.
				requests 0`}
		})},
		{n: 4, name: "connect black hole", scene: early(func(st *stage) scene {
			return scene{dials: []dial{st.hole, st.hole}, want: `
				retrying 2 in 1s: test: timed out connecting to HOST
				retrying 3 in 2s: test: timed out connecting to HOST` + again(1)}
		})},
		{n: 5, name: "unknown authority", scene: early(certificate(func(c *certificates) tls.Certificate { return c.unknown },
			" is signed by an unknown authority: CN=Stranger | If a proxy intercepts TLS, add its certificate to the system's trust store or to the file in SSL_CERT_FILE."))},
		{n: 6, name: "expired certificate", scene: early(certificate(func(c *certificates) tls.Certificate { return c.expired },
			", issued by CN=Trusted, is valid only from 2001-01-01 to 2001-12-31 | Check the clock of this machine."))},
		{n: 6, name: "certificate of another host", scene: early(certificate(func(c *certificates) tls.Certificate { return c.misled },
			", issued by CN=Trusted, is for another host: certificate is valid for 192.0.2.1, not 127.0.0.1 | Check the base URL BASE."))},
		{n: 7, name: "plain HTTP on a TLS port", scene: early(func(st *stage) scene {
			plain := st.other(nil)
			plain.greet = func(p *peer) { answer(400, "", "")(p) }
			plain.start(nil)
			return scene{tls: true, dials: []dial{to(plain)}, want: `
				turn error: test: HOST uses plain HTTP | If it is your own server, try the base URL with http://.
				requests 0`}
		})},
		{n: 8, name: "accepts, then never a byte", scene: early(func(st *stage) scene {
			return scene{acts: times(2, silent(time.Minute)), want: `
				retrying 2 in 1s: test: no response from HOST within 1m0s
				retrying 3 in 2s: test: no response from HOST within 1m0s` + again(3)}
		})},
		{n: 8, name: "accepts, then never shakes hands", scene: early(func(st *stage) scene {
			const limit = 7 * time.Second
			mute := st.other(nil)
			mute.greet = func(p *peer) { silent(limit)(p) }
			mute.start(nil)
			return scene{tls: true, limits: wire.Limits{TLS: limit}, dials: []dial{to(mute)}, want: `
				retrying 2 in 1s: test: timed out connecting to HOST` + again(1)}
		})},
		{n: 9, name: "headers byte by byte", scene: early(func(st *stage) scene {
			return scene{acts: []act{slowHead}, want: `
				retrying 2 in 1s: test: no response from HOST within 1m0s` + again(2)}
		})},
		{n: 11, name: "half-open connection", scene: halfOpen},
		{n: 12, name: "reset before headers", scene: early(func(st *stage) scene {
			return scene{dials: []dial{nil}, acts: []act{(*peer).reset}, want: `
				retrying 2 in 1s: test: cannot reach HOST: ` + reset + again(2)}
		})},
		{n: 12, name: "closed before headers", scene: early(func(st *stage) scene {
			return scene{dials: []dial{nil}, acts: []act{closes}, want: `
				retrying 2 in 1s: test: HOST closed the connection without responding` + again(2)}
		})},
		{n: 12, name: "kept connection reset", absent: notReused(), scene: early(func(st *stage) scene {
			return scene{acts: []act{(*peer).reset}, want: again(2)}
		})},
		{n: 12, name: "kept connection closed", absent: notReused(), scene: early(func(st *stage) scene {
			return scene{acts: []act{closes}, want: again(2)}
		})},
		{n: 12, name: "kept connection closed, and the next one", absent: notReused(), scene: early(func(st *stage) scene {
			return scene{acts: times(2, closes), want: `
				retrying 2 in 1s: test: HOST closed the connection without responding` + again(3)}
		})},
		{n: 60, name: "proxy wants a login", scene: proxied(407, "Proxy-Authenticate: Basic", "407 Proxy Authentication Required")},
		{n: 60, name: "proxy refuses to connect", scene: proxied(403, "", "403 Forbidden")},
	}
}

// closes closes the connection without a response.
func closes(*peer) bool { return false }

// notReused excludes faults of a reused connection at the first request.
func notReused() map[string]string {
	return map[string]string{string(inText): "no connection is kept before the first request"}
}

// again returns the expected end of a turn whose last attempt works.
func again(requests int) string { return fmt.Sprintf(retried, requests) }

// silent fires a timer of length d and waits for the client to disconnect.
func silent(d time.Duration) act {
	return func(p *peer) bool {
		p.st.clock.ring(d)
		return p.gone()
	}
}

// slowHead sends headers byte by byte until the timeout.
func slowHead(p *peer) bool {
	head := "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nX-Wait: " + strings.Repeat("x", 100)
	for i := range head {
		p.write(head[i : i+1])
	}
	return silent(time.Minute)(p)
}

// certificate is a connection to a server with an invalid certificate.
func certificate(of func(*certificates) tls.Certificate, message string) func(st *stage) scene {
	return func(st *stage) scene {
		other := st.other(&tls.Config{Certificates: []tls.Certificate{of(st.certs)}})
		other.start(nil)
		return scene{tls: true, dials: []dial{to(other)}, want: `
			turn error: test: the certificate of HOST` + message + `
			requests 0`}
	}
}

// halfOpen is a connection that is dead after one request: the next request must time
// out, and its retry must use another connection. Or it dies within the next reply.
func halfOpen(st *stage, p phase) scene {
	sc := scene{want: `
		call c0 look {"text":"x"}
		start c0 "look x"
		end c0 "look x" ok: did x
		retrying 2 in 1s: test: no response from HOST within 1m0s` + again(3),
		acts: []act{sse(called(st.d, "c0", args("x"))), silent(time.Minute)}}
	if p == inText {
		sc.acts[1] = broken(st.d.begin()+st.d.text(0, "half"), func(p *peer) bool { p.shown("half"); return silent(2 * time.Minute)(p) })
		sc.want = `
		call c0 look {"text":"x"}
		start c0 "look x"
		end c0 "look x" ok: did x
		assistant "half" (cut)
		notice test: the response stalled: no data for 2m0s. Continuing where it was cut off.
		auto "` + event.ContinuePrompt + `"` + again(3)
	}
	return sc
}

// proxied is a request over TLS that the proxy refuses.
func proxied(status int, header, words string) func(*stage, phase) scene {
	return early(func(st *stage) scene {
		proxy := st.other(nil)
		proxy.greet = func(p *peer) {
			req, err := http.ReadRequest(p.r)
			if err != nil || req.Method != http.MethodConnect {
				st.t.Errorf("the proxy got %v, %v", req, err)
			}
			answer(status, header, "")(p)
		}
		proxy.start(nil)
		return scene{tls: true, proxy: proxy, want: `
			turn error: test: the proxy ` + proxy.ln.Addr().String() + ` refused the connection: ` + words + ` | Check HTTPS_PROXY.
			requests 0`}
	})
}
