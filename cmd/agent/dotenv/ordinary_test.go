package dotenv_test

import (
	"strings"
	"testing"

	"agent/cmd/agent/dotenv"
)

// Names of files, addresses and identifiers are not hidden because of the name of their variable.
func TestOrdinaryValues(t *testing.T) {
	for ordinary, lines := range map[bool]string{
		true: `SSL_KEY_PATH=./certs/server-main.key
TLS_KEY_FILE=/etc/ssl/private/server.key
AUTH_SERVICE_URL=http://auth-service:3000/api
TOKEN_EXPIRY=3600seconds
SECRET_NAME=my-app-secret-name
SESSION_COOKIE_NAME=myapp_session_id
AUTH0_DOMAIN=myapp.eu.auth0.com
AUTH0_AUDIENCE=https://api.myapp.com/v2
STRIPE_PUBLISHABLE_KEY=pk_live_q7Vx2mLr9TzB4wKc
NEXT_PUBLIC_API_KEY=publicapikey98765
JWT_ALGORITHM=RS256-algorithm
JWT_ISSUER=myapp-issuer-name
CACHE_KEY=app-cache-key-v1
PRIMARY_KEY=customer_id_field
API_KEY_HEADER=X-Api-Key-Header
PASSWORD_HASHER=argon2-password-hasher
AUTH_PROVIDER=google-oauth-provider
CREDENTIALS_PATH=config/credentials/app.json
GOOGLE_APPLICATION_CREDENTIALS=./service-account.json
SIGNING_KEY=src/index.ts
TOKEN=src/lexer/token.go
API_SECRET=./secrets/api.txt`,
		false: `API_KEY=q7Vx2mLr9TzB4wKc
SECRET_KEY_BASE=3f1c9b7e5d2a4f6088b1c2d3e4f5a6b7
ENCRYPTION_KEY=base64:u8Jk3Lm9Qr2Ts5Vw7Xy1Za4Bc6De8Fg0Hi2Jk4Lm6No=
AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLE3
DB_PASSWORD=correct-horse
DB_PASS2=hunter2hunter2
PGPASSWORD=ordinary-words
SESSION_SECRET=keyboard cat
GITHUB_TOKEN=abcdefghijkl`,
	} {
		for line := range strings.Lines(lines) {
			name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
			if dotenv.IsOrdinary(name, value) != ordinary {
				t.Errorf("%s=%s: ordinary is %v", name, value, !ordinary)
			}
		}
	}
}
