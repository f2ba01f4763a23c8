package loop_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"net"
	"testing"
	"time"
)

// certificates are a valid certificate of a loopback server, and invalid ones.
type certificates struct {
	pool                            *x509.CertPool // trusted roots
	right, unknown, expired, misled tls.Certificate
}

func newCertificates(t *testing.T) *certificates {
	t.Helper()
	trusted, stranger := newAuthority(t, "Trusted"), newAuthority(t, "Stranger")
	pool := x509.NewCertPool()
	pool.AddCert(trusted.cert)
	return &certificates{
		pool:    pool,
		right:   trusted.issue(t, net.IPv4(127, 0, 0, 1), time.Now()),
		unknown: stranger.issue(t, net.IPv4(127, 0, 0, 1), time.Now()),
		expired: trusted.issue(t, net.IPv4(127, 0, 0, 1), time.Date(2001, 6, 1, 0, 0, 0, 0, time.UTC)),
		misled:  trusted.issue(t, net.IPv4(192, 0, 2, 1), time.Now()),
	}
}

// authority signs certificates.
type authority struct {
	cert *x509.Certificate
	key  *ecdsa.PrivateKey
}

func newAuthority(t *testing.T, name string) authority {
	t.Helper()
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: name}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign, NotBefore: time.Now().Add(-48 * time.Hour), NotAfter: time.Now().Add(48 * time.Hour)}
	key := newKey(t)
	return authority{parsed(t, c, c, key, key), key}
}

// issue returns a certificate for a server at ip that is valid in the year of at.
func (a authority) issue(t *testing.T, ip net.IP, at time.Time) tls.Certificate {
	t.Helper()
	key := newKey(t)
	c := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "server"}, IPAddresses: []net.IP{ip},
		NotBefore: time.Date(at.Year(), 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(at.Year(), 12, 31, 23, 59, 59, 0, time.UTC)}
	return tls.Certificate{Certificate: [][]byte{parsed(t, c, a.cert, key, a.key).Raw}, PrivateKey: key}
}

func newKey(t *testing.T) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// parsed returns c signed by by.
func parsed(t *testing.T, c, parent *x509.Certificate, key, by *ecdsa.PrivateKey) *x509.Certificate {
	t.Helper()
	der, err := x509.CreateCertificate(rand.Reader, c, parent, &key.PublicKey, by)
	if err != nil {
		t.Fatal(err)
	}
	out, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
