"""The phrases of ``phrases`` in German, French, Spanish, Portuguese, Italian and Dutch, in this order, by its rules.

They are more specific than the English ones: each names the page, the article or the cookies, and says what is wrong
with it, since the words alone occur in patient leaflets of these languages too ("Seite" is a side, "pagina" a page of
the leaflet).
"""

from typing import Final

BOT_TITLE: Final = r"""
    ^nur einen moment\s*(?:\u2026|\.\.\.)
    ^un instant\s*(?:\u2026|\.\.\.)
    ^un momento\s*(?:\u2026|\.\.\.)
    ^um momento\s*(?:\u2026|\.\.\.)
    ^even geduld\s*(?:\u2026|\.\.\.)
    """
BOT_TEXT: Final = r"""
    bestätigen sie, dass sie (?:ein mensch|kein roboter) sind
    ich bin kein roboter
    (?:vérifiez|confirmez|prouvez) que vous (?:êtes|n'êtes pas) (?:un )?(?:être )?(?:humain|robot)
    je ne suis pas un robot
    (?:verifique|confirme|demuestre) que (?:no )?(?:es|eres|usted es) (?:un )?(?:ser humano|humano|robot)
    no soy un robot
    (?:confirme|verifique|comprove) que (?:você )?(?:não )?é (?:um )?(?:ser humano|humano|robô)
    não sou um robô
    verifica(?:re)? di (?:non )?essere (?:un )?(?:essere umano|umano|robot)
    non sono un robot
    (?:verifieer|bevestig) dat (?:u|je) (?:een mens|geen robot) bent
    ik ben geen robot
    """
BOT_BOILERPLATE: Final = r"""
    \b(?:mensch|roboter|humain|humano|robô|umano|mens)\b
    (?:ihrer verbindung|votre connexion|su conexión|sua conexão|tua connessione|della connessione|uw verbinding)
    """
JS_TEXT: Final = r"""
    (?:aktivieren sie|bitte) javascript
    javascript (?:ist deaktiviert|aktivieren)
    activer javascript
    javascript est désactivé
    (?:active|activar|habilite|habilitar) javascript
    (?:ative|ativar|habilite|habilitar) o javascript
    (?:attiva|attivare|abilita|abilitare) javascript
    (?:schakel|zet) javascript (?:in|aan)\b
    """
COOKIE_TEXT: Final = r"""
    (?:verwenden|nutzen|setzen) (?:\w+ )?cookies
    cookies (?:akzeptieren|zulassen)
    wir schätzen ihre privatsphäre
    utilis(?:ons|e|ent) (?:des|les) cookies
    accepter (?:tous )?les cookies
    (?:utilizamos|usamos|utilizan?) (?:las |os )?cookies
    aceptar (?:todas )?las cookies
    aceitar (?:todos )?(?:os )?cookies
    (?:utilizziamo|usiamo|utilizzano?) (?:i )?cookie
    accetta(?:re)? (?:tutti )?i cookie
    gebruik(?:en|t) (?:\w+ )?cookies
    cookies (?:accepteren|toestaan)
    """
COOKIE_BOILERPLATE: Final = r"""
    privatsphäre|datenschutz|einwilligung|zustimm|werbung|akzeptieren|ablehnen
    vie privée|consentement|publicité|partenaires|tout accepter|tout refuser|sans accepter
    privacidad|consentimiento|publicidad|\bsocios\b|aceptar|rechazar
    privacidade|consentimento|\bparceiros\b|aceitar|rejeitar
    consenso|pubblicità|\baccett|\brifiut
    toestemming|advertenties|accepteren|weigeren
    """
NOT_FOUND_TITLE_AMBIGUOUS: Final = r"""
    ^(?:hoppla|fehler|oups|erreur|\u00a1?ups|errore|erro|fout|oeps)\b
    """
NOT_FOUND_TITLE: Final = r"""
    ^(?:\w+, )?diese seite (?:gibt es|existiert|ist) (?:leider )?nicht(?: mehr)?(?: verfügbar)?\s*(?:$|[-|.!\u2013])
    \bcette page n(?:'|\u2019)existe (?:pas|plus)\b
    \besta página (?:ya )?no (?:está disponible|existe)\b
    \besta página (?:já )?não (?:está disponível|existe)\b
    \bquesta pagina non (?:è più disponibile|è disponibile|esiste)\b
    \bdeze pagina (?:bestaat niet|is niet (?:meer )?beschikbaar)\b
    \b(?:sidan (?:kunde inte hittas|finns inte)|siden (?:blev ikke fundet|finnes ikke|findes ikke))\b
    \bnie znaleziono strony\b
    \bseite (?:wurde |konnte |ist )?(?:leider )?nicht (?:mehr )?(?:gefunden|verfügbar|vorhanden)\b
    \bpage (?:introuvable|non trouvée|inexistante)\b
    \bpágina no (?:encontrada|existe|disponible)\b
    \bpágina não (?:encontrada|existe|disponível|localizada)\b
    \bpagina non (?:trovata|esiste|disponibile)\b
    \bpagina (?:is )?niet (?:gevonden|beschikbaar)\b
    """
NOT_FOUND_TEXT: Final = r"""
    (?:aufgerufene|angeforderte|gesuchte|gewünschte) seite\b[^.]{0,60}\b(?:nicht|verschoben|gelöscht|entfernt)\b
    diese seite (?:existiert (?:leider )?nicht|(?:konnte|wurde) (?:leider )?nicht gefunden)
    page (?:que vous (?:recherchez|cherchez)|demandée)\b[^.]{0,60}(?:n'existe|introuvable|déplacée|supprimée)
    página que (?:buscas?|estás? buscando|ha solicitado)\b[^.]{0,60}\b(?:no existe|eliminada|movida|no está)\b
    no (?:hemos podido|podemos|pudimos|se ha podido|se puede) encontrar la página
    página que (?:procura|você procura|está procurando|tentou acessar)\b[^.]{0,60}\b(?:não existe|removida|movida)\b
    não (?:foi possível|conseguimos) encontrar a página
    pagina che (?:cerchi|stai cercando|sta cercando|hai richiesto)\b[^.]{0,60}\b(?:non esiste|spostata|rimossa)\b
    pagina richiesta non (?:esiste|è)
    pagina die (?:u|je) (?:zoekt|zocht|probeert te bezoeken)\b[^.]{0,60}\b(?:niet|verplaatst|verwijderd)\b
    """
PAYWALL_TEXT: Final = r"""
    dieser (?:artikel|inhalt|bereich|beitrag) ist nur für (?:abonnenten|mitglieder|registrierte|angehörige der fach)
    (?:abonnieren|anmelden|registrieren) (?:und|um) (?:weiterlesen|weiterzulesen)
    article (?:est )?réservé aux abonnés
    abonnez-vous pour (?:lire|continuer|accéder)
    (?:contenido|artículo) exclusivo para (?:suscriptores|abonados|socios)
    suscr(?:í|i)b(?:ase|ete) para (?:seguir|continuar|leer)
    (?:conteúdo|artigo) exclusivo para assinantes
    assine para (?:continuar|ler)
    (?:articolo|contenuto) (?:è )?riservato agli abbonati
    abbonati per (?:continuare|leggere)
    (?:artikel|inhoud) is alleen (?:\w+ )?voor (?:abonnees|leden)
    word abonnee om
    """
