# A script with a first line for the shell, and a byte order mark.
printf '#!/usr/bin/env credence\n1/3\n' >x.cred
chmod +x x.cred
./x.cred
printf '\xef\xbb\xbf1/4\n' >bom.cred
credence bom.cred
printf '1/4\r\n1/2\r\n' >crlf.cred
credence crlf.cred
