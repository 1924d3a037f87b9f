// Package dns replaces lego's DNS providers with an empty set: the check requests no ACME certificates, and the providers'
// libraries take longer to build than the rest of Traefik.
package dns

import (
	"fmt"

	"github.com/go-acme/lego/v4/challenge"
)

// NewDNSChallengeProviderByName is called for providers in Traefik's configuration.
func NewDNSChallengeProviderByName(name string) (challenge.Provider, error) {
	return nil, fmt.Errorf("this build has no DNS provider %q", name)
}
