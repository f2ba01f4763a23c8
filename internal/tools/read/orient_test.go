package read

import (
	"bytes"
	"testing"
)

// FuzzOrientation reads headers with wrong lengths.
func FuzzOrientation(f *testing.F) {
	exif := []byte("\xff\xd8\xff\xe1\x00\x22Exif\x00\x00II*\x00\x08\x00\x00\x00\x01\x00\x12\x01\x03\x00\x01\x00\x00\x00\x06\x00\x00\x00\x00\x00\x00\x00")
	f.Add(exif)
	f.Add(bytes.Replace(exif, []byte("II*\x00\x08\x00\x00\x00"), []byte("MM\x00*\xff\xff\xff\xff"), 1))
	f.Add([]byte("\xff\xd8\xff\xe1\x00\x00"))
	f.Add([]byte("\xff"))
	f.Fuzz(func(t *testing.T, content []byte) {
		if o := orientation(content); o < 1 || o > 8 {
			t.Errorf("got %d", o)
		}
	})
}
